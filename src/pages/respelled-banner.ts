import { shortened } from './byte-budget.js';
import { type Html, html } from './html.js';
import type { PageContext } from './page-context.js';
import type { PageQuery } from './page-query.js';
import { TEXTS } from './texts.js';

const BYTES_OF_WORDS = 400;

/** Says which Ukrainian words were looked for instead of those that were typed in Latin letters. */
export function respelledBanner({ typed, query }: PageQuery, { language }: PageContext): Html | false {
  if (typed === undefined) return false;
  const { nothingFor, shownFor } = TEXTS[language];
  return html`<p role="status" class="banner">
    ${nothingFor} <q>${shortened(typed, BYTES_OF_WORDS)}</q>. ${shownFor}
    <q lang="uk">${shortened(query.text, BYTES_OF_WORDS)}</q>.
  </p>`;
}
