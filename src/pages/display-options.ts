import { type Html, html, type Part } from './html.js';
import type { Language } from './language.js';
import type { ByteBudget } from './byte-budget.js';
import type { ShownTimes } from './times.js';

/** What decides how a value is shown. */
export interface DisplayOptions {
  language: Language;
  budget: ByteBudget;
  times: ShownTimes;
  /** What MAP_SEARCH_URL says; undefined: no address is a link. */
  mapSearchUrl: string | undefined;
  /** Within a table, lists stand as lists. */
  isInTable?: true;
}

/** What a value takes beside its texts, at most. */
export const BYTES_OF_MARKUP = 100;
const BYTES_OF_CODE = 400;

/** What is read letter by letter: of any alphabet, so it turns nothing beside it round. */
export function showCode(parts: readonly (string | undefined)[], budget: ByteBudget): Html {
  return html`<bdi class="code">${budget.shorten(parts.join(' '), BYTES_OF_CODE)}</bdi>`;
}

/** A row of a `<dl>`. */
export function showRow(label: Part, value: Part): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
}
