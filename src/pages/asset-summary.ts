import { LRUCache } from 'lru-cache';
import type { AssetOnPage } from './asset-on-page.js';
import { type Html, html } from './html.js';
import { Room, shortened } from './room.js';
import { money } from './shown-values.js';
import { statePill } from './state-pill.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import { linkTo, type Visit } from './visit.js';

const MOST_KEPT = 5_000;
/** Bytes, as they are sent. */
interface Bounds {
  title: number;
  line: number;
}

/** For which a page always has room, whatever is in its assets. */
const BRIEF: Bounds = { title: 188, line: 86 };
/** A title and lines that people have written for people are whole. */
const WHOLE: Bounds = { title: 4_000, line: 600 };
/** What a page has for the whole forms of its assets, beyond their brief ones. */
const BYTES_BEYOND = 9_500;

/** An asset as a list shows it. How much of a text is seen is the style's; what is here can be found, copied and read aloud. */
export interface Summary {
  whole: Html;
  brief: Html;
}

/** Shows as many summaries whole as there is room for, beginning with those that need least; the others are shortened. */
export function fitSummaries(summaries: readonly Summary[]): Html[] {
  const room = new Room(BYTES_BEYOND);
  const byNeed = summaries.toSorted((a, b) => beyond(a) - beyond(b));
  const whole = new Set(byNeed.filter((one) => room.reserve(beyond(one))));
  return summaries.map((one) => (whole.has(one) ? one.whole : one.brief));
}

function beyond({ whole, brief }: Summary): number {
  return Buffer.byteLength(whole.text) - Buffer.byteLength(brief.text);
}

/** Assets as lists show them. What was shown of an asset is kept until it changes, as most look at what has changed last. */
export class AssetSummaries {
  private readonly kept = new LRUCache<string, Summary>({ max: MOST_KEPT });

  constructor(private readonly times: ShownTimes) {}

  /** @param modifiedUs of the asset, which no other state of any asset has */
  find(modifiedUs: number, visit: Visit): Summary | undefined {
    return this.kept.get(keyOf(modifiedUs, visit));
  }

  show(page: AssetOnPage, visit: Visit): Summary {
    const shown = { whole: this.print(page, visit, WHOLE), brief: this.print(page, visit, BRIEF) };
    this.kept.set(keyOf(page.asset.modifiedUs, visit), shown);
    return shown;
  }

  private print(page: AssetOnPage, visit: Visit, most: Bounds): Html {
    const { assetId, status, modifiedUs } = page.asset;
    const { language } = visit;
    const { value, place, custodian } = page;
    const price = value && money(value.amount, value.currency, language);
    const lines = [price, place, custodian?.name].filter((line) => line !== undefined);
    return html`<li>
      <p class="over">
        ${statePill(page, status, language)} <span>${page.typeLabels[language]}</span>
        <span class="code">${assetId}</span>
      </p>
      <h2>
        <a href="${linkTo(visit, `/assets/${assetId}`)}"><bdi>${shortened(page.title, most.title)}</bdi></a>
      </h2>
      ${lines.map((line) => html`<p><bdi>${shortened(line, most.line)}</bdi></p>`)}
      <p class="when">${TEXTS[language].changed} ${this.times.brief(modifiedUs, language)}</p>
    </li> `;
  }
}

function keyOf(modifiedUs: number, { language, hasChosen }: Visit): string {
  return `${modifiedUs} ${language} ${hasChosen}`;
}
