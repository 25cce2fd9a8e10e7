import { type Html, html, type Part } from './html.js';
import type { Language } from './language.js';
import type { ByteBudget } from './byte-budget.js';
import type { ShownTimes } from './times.js';

/** Options for showing a value. */
export interface DisplayOptions {
  language: Language;
  budget: ByteBudget;
  times: ShownTimes;
  /** The setting MAP_SEARCH_URL; undefined: addresses have no link to a map. */
  mapSearchUrl: string | undefined;
  /** Lists inside a table cell are not tables. */
  isInTable?: true;
}

/** Maximum bytes of a value's markup without its texts. */
export const MARKUP_BYTES = 100;
const MAX_CODE_BYTES = 400;

/** A code; `bdi` keeps right-to-left letters from reordering its surroundings. */
export function showCode(parts: readonly (string | undefined)[], budget: ByteBudget): Html {
  return html`<bdi class="code">${budget.shorten(parts.join(' '), MAX_CODE_BYTES)}</bdi>`;
}

/** A row of a `<dl>`. */
export function showRow(label: Part, value: Part): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${value}</dd>
  </div>`;
}
