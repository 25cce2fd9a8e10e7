import { LRUCache } from 'lru-cache';
import type { AssetViewModel, JsonObject } from './asset-view-model.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { money } from './shown-values.js';
import { statePill } from './state-pill.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import { written } from './written.js';
import { linkTo, type PageContext } from './page-context.js';

const MAX_KEPT = 5_000;
const MAX_KINDS = 3;
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
  const budget = new ByteBudget(BYTES_BEYOND);
  const byNeed = summaries.toSorted((a, b) => beyond(a) - beyond(b));
  const whole = new Set(byNeed.filter((one) => budget.reserve(beyond(one))));
  return summaries.map((one) => (whole.has(one) ? one.whole : one.brief));
}

function beyond({ whole, brief }: Summary): number {
  return Buffer.byteLength(whole.text) - Buffer.byteLength(brief.text);
}

/** Assets as lists show them. What was shown of an asset is kept until it changes, as most look at what has changed last. */
export class AssetSummaries {
  private readonly kept = new LRUCache<string, Summary>({ max: MAX_KEPT });

  constructor(private readonly times: ShownTimes) {}

  /** @param modifiedUs of the asset, which no other state of any asset has */
  find(modifiedUs: number, context: PageContext): Summary | undefined {
    return this.kept.get(keyOf(modifiedUs, context));
  }

  show(page: AssetViewModel, context: PageContext): Summary {
    const shown = { whole: this.print(page, context, WHOLE), brief: this.print(page, context, BRIEF) };
    this.kept.set(keyOf(page.asset.modifiedUs, context), shown);
    return shown;
  }

  private print(page: AssetViewModel, context: PageContext, most: Bounds): Html {
    const { assetId, status, modifiedUs } = page.asset;
    const { language } = context;
    const { value, custodian } = page;
    const line = (text: string | undefined): Html | undefined =>
      text === undefined ? undefined : html`<p><bdi>${shortened(text, most.line)}</bdi></p>`;
    return html`<li>
      <h2>
        <a href="${linkTo(context, `/assets/${assetId}`)}"
          >${written(page.title, shortened(page.title, most.title), language)}</a
        >
      </h2>
      <div class="facts">
        ${value && html`<p class="money"><bdi>${shortened(money(value.amount, value.currency, language), most.line)}</bdi></p>`}
        <p class="over">${statePill(page, status, language)} ${page.typeLabels[language]}</p>
        <p class="when">${TEXTS[language].changed} ${this.times.brief(modifiedUs, language)}</p>
      </div>
      <div>
        ${line(page.placeIn(language))} ${line(madeOf(page, language))}
        <p class="note">
          <span class="code">${assetId}</span>
          ${custodian?.name !== undefined && html`<bdi>${shortened(custodian.name, most.line)}</bdi>`}
        </p>
      </div>
    </li> `;
  }
}

function keyOf(modifiedUs: number, { language, hasChosen }: PageContext): string {
  return `${modifiedUs} ${language} ${hasChosen}`;
}

/** What an asset of several items is made of, in a line: how many there are, and of which kinds, the most frequent first. */
function madeOf({ items }: AssetViewModel, language: Language): string | undefined {
  if (items === undefined) return undefined;
  const kinds = new Map<string, number>();
  for (const item of items.values) {
    const kind = (item['classification'] as JsonObject | undefined)?.['description'];
    if (typeof kind === 'string') kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  const byCount = [...kinds].toSorted(([, a], [, b]) => b - a);
  const shown = byCount.slice(0, MAX_KINDS).map(([kind, count]) => (count > 1 ? `${kind} × ${count}` : kind));
  if (byCount.length > MAX_KINDS) shown.push('…');
  const head = `${items.field.labels[language]}: ${items.values.length}`;
  return shown.length === 0 ? head : `${head} (${shown.join(', ')})`;
}
