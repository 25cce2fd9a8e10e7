import { printDecimal } from '../asset-types/fields-json.js';
import type { JsonObject } from './asset-view-model.js';
import { type Html, html, type Part } from './html.js';
import { MARKUP_BYTES, showRow, type DisplayOptions } from './display-options.js';
import { showList } from './shown-lists.js';
import { TEXTS } from './texts.js';

/** Deeper objects are printed as JSON. */
const MAX_DEPTH = 4;

/** Shows the stored names and values of an asset whose type is no longer installed, so that it has no labels. */
export function showRaw(values: JsonObject, display: DisplayOptions, depth = 1): Html {
  const rows: Html[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (!display.budget.reserve(MARKUP_BYTES)) break;
    const label = html`<bdi>${display.budget.shorten(name)}</bdi>`;
    rows.push(showRow(label, showRawValue(value, display, depth)));
  }
  return html`<dl>${rows}</dl>`;
}

function showRawValue(value: unknown, display: DisplayOptions, depth: number): Part {
  const { budget, language } = display;
  if (typeof value === 'string') return html`<bdi>${budget.shorten(value)}</bdi>`;
  if (typeof value === 'number') return budget.shorten(printDecimal(value));
  if (typeof value === 'boolean') return TEXTS[language][value ? 'yes' : 'no'];
  if (value === null || depth === MAX_DEPTH) return budget.shorten(JSON.stringify(value));
  if (!Array.isArray(value)) return showRaw(value as JsonObject, display, depth + 1);
  return showList(value, display, (one: unknown) => showRawValue(one, display, depth + 1));
}
