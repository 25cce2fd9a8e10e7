import { LRUCache } from 'lru-cache';
import type { AssetOnPage } from './asset-on-page.js';
import { type Html, html } from './html.js';
import { shortened } from './room.js';
import { money } from './shown-values.js';
import { statePill } from './state-pill.js';
import type { ShownTimes } from './times.js';
import { linkTo, type Visit } from './visit.js';

const MOST_KEPT = 5_000;
/** As sent, so that a page of them stays below 30 KB, whatever is in them. */
const BYTES_OF_TITLE = 188;
const BYTES_OF_LINE = 86;

/** Assets as lists show them. What was shown of an asset is kept until it changes, as most look at what has changed last. */
export class AssetSummaries {
  private readonly kept = new LRUCache<string, Html>({ max: MOST_KEPT });

  constructor(private readonly times: ShownTimes) {}

  /** @param modifiedUs of the asset, which no other state of any asset has */
  find(modifiedUs: number, visit: Visit): Html | undefined {
    return this.kept.get(keyOf(modifiedUs, visit));
  }

  show(page: AssetOnPage, visit: Visit): Html {
    const shown = this.print(page, visit);
    this.kept.set(keyOf(page.asset.modifiedUs, visit), shown);
    return shown;
  }

  private print(page: AssetOnPage, visit: Visit): Html {
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
        <a href="${linkTo(visit, `/assets/${assetId}`)}"><bdi>${shortened(page.title, BYTES_OF_TITLE)}</bdi></a>
      </h2>
      ${lines.map((line) => html`<p><bdi>${shortened(line, BYTES_OF_LINE)}</bdi></p>`)}
      <p class="when">${this.times.brief(modifiedUs, language)}</p>
    </li> `;
  }
}

function keyOf(modifiedUs: number, { language, hasChosen }: Visit): string {
  return `${modifiedUs} ${language} ${hasChosen}`;
}
