import type { HistoryEntry } from '../assets/asset-history.service.js';
import type { AssetOnPage } from './asset-on-page.js';
import { type Html, html } from './html.js';
import { statePill } from './state-pill.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import type { Visit } from './visit.js';

/** Entries of a timeline. */
export const MOST_ENTRIES = 15;
const FIELDS_A_CHANGE = 6;

/** What a timeline is made of. */
export interface TimelineParts {
  page: AssetOnPage;
  /** Newest first, one more than are shown where there are more. */
  history: readonly HistoryEntry[];
  /** Path of the asset in the API. */
  api: string;
}

/** Through which states an asset went, and what was changed when; each leads to what the asset was then. */
export function timeline({ page, history, api }: TimelineParts, visit: Visit, times: ShownTimes): Html {
  const { language } = visit;
  const texts = TEXTS[language];
  const entries = history.slice(0, MOST_ENTRIES).map(({ modifiedUs, status, changed = [] }, i) => {
    const hasMoved = history[i + 1]?.status !== status;
    const then = `${api}?at=${encodeURIComponent(times.print(modifiedUs))}&opt_pretty=1`;
    const names = labelsOf(page, changed, language);
    return html`<li>
      <a href="${then}">${times.show(modifiedUs, language)}</a> ${hasMoved && statePill(page, status, language)}
      ${names !== '' && html`<span>${texts.changed}: ${names}</span>`}
    </li> `;
  });
  return html`<section aria-labelledby="history">
    <h2 id="history">${texts.timeline}</h2>
    <ol id="timeline">
      ${entries}
    </ol>
    <p><a href="${api}/history?opt_pretty=1">${texts.longerHistory}</a></p>
  </section>`;
}

/** The fields of a change as people read them; the state is shown as such. */
function labelsOf(page: AssetOnPage, changed: readonly string[], language: Visit['language']): string {
  const fields = changed.filter((name) => name !== 'status');
  const names = fields.slice(0, FIELDS_A_CHANGE).map((name) => page.labelsOf(name)[language]);
  return names.join(', ') + (fields.length > names.length ? '…' : '');
}
