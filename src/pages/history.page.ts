import { ByteBudget, shortened } from './byte-budget.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { TEXTS } from './texts.js';
import { type ChangeParts, entry, linkToHistory, linkToHistoryJson } from './timeline.js';
import type { ShownTimes } from './times.js';
import { linkTo, type PageContext } from './page-context.js';

export const STATES_A_PAGE = 20;
/** Bytes of old and new values; further changes are shown by the names of their fields. */
const MAX_VALUES_BYTES = 12_000;
const MAX_TITLE_BYTES = 300;

/** A page of the history, with one more entry if there are earlier ones. */
export interface HistoryParts extends ChangeParts {
  hasNewer: boolean;
}

/** All public states of an asset, newest first, each with its changes. */
export function historyPage(parts: HistoryParts, context: PageContext, times: ShownTimes): string {
  const { page, history } = parts;
  const texts = TEXTS[context.language];
  const { assetId } = page.asset;
  const values = new ByteBudget(MAX_VALUES_BYTES);
  const indexes = [...history.keys()].slice(0, STATES_A_PAGE);
  const lines = indexes.map((index) => entry(parts, { newest: index, oldest: index }, context, { times, values }));
  const title = html`${texts.timeline}: ${shortened(page.title, MAX_TITLE_BYTES)}`;
  const main = html`<article>
    <p class="over">
      <a href="${linkTo(context, `/assets/${assetId}`)}">← ${texts.toAsset}</a> <span class="code">${assetId}</span>
    </p>
    <h1><bdi>${title}</bdi></h1>
    ${
      lines.length > 0 &&
      html`<ol id="timeline">
        ${lines}
      </ol>`
    }
    ${(parts.hasNewer || history.length > STATES_A_PAGE) && pager(parts, context, times)}
    <p><a href="${linkToHistoryJson(page, context)}">${texts.historyAsJson}</a></p>
  </article>`;
  const head = html`<meta name="robots" content="noindex" />`;
  return layout(context, { title, description: title, head, main });
}

function pager({ page, history, hasNewer }: HistoryParts, context: PageContext, times: ShownTimes): Html {
  const texts = TEXTS[context.language];
  const last = history.length > STATES_A_PAGE ? history[STATES_A_PAGE - 1] : undefined;
  return html`<nav class="pager" aria-label="${texts.pages}">
    ${hasNewer && html`<a rel="prev" href="${linkToHistory(page, context)}">${texts.newest}</a>`}
    ${last && html`<a rel="next" href="${linkToHistory(page, context, times.print(last.modifiedUs))}">${texts.older}</a>`}
  </nav>`;
}
