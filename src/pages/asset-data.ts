import { API_PREFIX } from '../http/api-paths.js';
import { ByteBudget } from './byte-budget.js';
import { type Html, html } from './html.js';
import { linkToApi, linkToFeed } from './list-links.js';
import type { AssetViewModel } from './asset-view-model.js';
import type { Condition } from './page-query.js';
import { TEXTS } from './texts.js';
import type { PageContext } from './page-context.js';

const MAX_JSON_BYTES = 3_700;

/** An asset and its JSON as the API answers it. */
export interface AssetData {
  page: AssetViewModel;
  json: string;
  /** Query of the shown state: `at=…`, or empty for the present one. */
  state: string;
  /** Whether the search finds it. */
  isFound: boolean;
}

/** The API call for the asset, its JSON, and links to other formats. */
export function showApiAccess({ page, json, state, isFound }: AssetData, context: PageContext): Html {
  const { base, root, language } = context;
  const texts = TEXTS[language];
  const raw = new ByteBudget(MAX_JSON_BYTES);
  const path = `/${API_PREFIX}/assets/${page.asset.id}?${[state, 'opt_pretty=1'].filter(Boolean).join('&')}`;
  return html`<section aria-labelledby="programs">
    <h2 id="programs">${texts.forPrograms}</h2>
    <pre id="curl" tabindex="0"><code>curl '${base}${path}'</code></pre>
    <details>
      <summary>${texts.rawJson}</summary>
      <pre tabindex="0"><code>${raw.shorten(json)}</code></pre>
    </details>
    <p><a href="${root}${path}">${texts.openJson}</a>${isFound && otherFormats(page, context)}</p>
  </section>`;
}

/**
 * Links to the proof and the program that verify the record against the log.
 * @param place in the log; undefined until the state is recorded
 */
export function howToCheck({ page, state }: AssetData, place: number | undefined, context: PageContext): Html {
  const { root, language } = context;
  const texts = TEXTS[language];
  if (place === undefined) return html`<p id="log" class="note">${texts.notRecordedYet}</p>`;
  const query = state && `?${state}`;
  const api = `${root}/${API_PREFIX}`;
  const asset = `${api}/assets/${page.asset.id}`;
  return html`<section id="log" aria-labelledby="check">
    <h2 id="check">${texts.check}</h2>
    <p>${texts.checkLead}</p>
    <p>
      <a download="asset.tlog-proof" href="${asset}/proof${query}">${texts.proof}</a> ·
      <a download="asset.json" href="${asset}${query}">JSON</a> ·
      <a download href="${root}/check-proof.py">check-proof.py</a>
    </p>
    <p class="note">
      ${texts.recordedAt} <b>${place}</b>. ${texts.howToCheck}
      <a href="${api}/spore"><code>/${API_PREFIX}/spore</code></a>
    </p>
  </section>`;
}

/** A search that finds only this asset, because no other text is likely to contain its id. */
export function searchForAsset({ asset }: AssetViewModel): Condition[] {
  return [{ name: 'q', value: asset.id }];
}

function otherFormats(page: AssetViewModel, context: PageContext): Html {
  const texts = TEXTS[context.language];
  return html` ·
    <a rel="nofollow" href="${linkToApi(context, '.csv', searchForAsset(page))}">${texts.csv}</a> ·
    <a rel="nofollow" href="${linkToFeed(context, searchForAsset(page))}">${texts.assetFeed}</a>`;
}
