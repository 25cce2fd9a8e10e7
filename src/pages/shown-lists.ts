import type { Field } from '../asset-types/fields.js';
import type { JsonObject } from './asset-view-model.js';
import { escaped, type Html, html, type Part } from './html.js';
import { MARKUP_BYTES, type DisplayOptions } from './display-options.js';
import { TEXTS } from './texts.js';

const MAX_SHOWN = 20;
/** Bytes of a cell without its value and its label. */
const CELL_BYTES = 27;
/** Bytes of a table without its columns and rows. */
const TABLE_BYTES = 300;

/** Shows a field of an item. @param values the item */
type ShowField = (name: string, field: Field, values: JsonObject, display: DisplayOptions) => Part;

/** A list of the first MAX_SHOWN values. @param show renders one */
export function showList(values: readonly unknown[], display: DisplayOptions, show: (value: never) => Part): Html {
  const shown = rowsOf(values, display, MARKUP_BYTES, (value) => html`<li>${show(value as never)}</li>`);
  return html`<ul class="items">
      ${shown}
    </ul>
    ${rest(values.length - shown.length, display)}`;
}

/**
 * A table of the first MAX_SHOWN items. A wide one scrolls, also by keyboard; on a narrow screen rows become lists, with a label in each cell.
 * @param columns fields that at least one item has
 */
export function showTable(
  items: readonly JsonObject[],
  { label, columns }: { label: string; columns: ReadonlyMap<string, Field> },
  display: DisplayOptions,
  show: ShowField,
): Html {
  const bytesOfLabels = Buffer.byteLength(
    [...columns.values()].map((field) => escaped(labelOf(field, display))).join(''),
  );
  const bytesOfCells = columns.size * CELL_BYTES + bytesOfLabels;
  if (!display.budget.reserve(TABLE_BYTES + bytesOfCells + Buffer.byteLength(label)))
    return rest(items.length, display);
  const rows = rowsOf(items, display, MARKUP_BYTES + bytesOfCells, (item) => rowOf(item, columns, display, show));
  return html`<section class="wide-table" tabindex="0" aria-label="${label}">
      <table>
        <thead>
          <tr>
            ${[...columns.values()].map((field) => html`<th scope="col">${labelOf(field, display)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </section>
    ${rest(items.length - rows.length, display)}`;
}

function rowOf(item: JsonObject, columns: ReadonlyMap<string, Field>, display: DisplayOptions, show: ShowField): Html {
  const within: DisplayOptions = { ...display, isInTable: true };
  return html`<tr>
    ${[...columns].map(([name, field]) => html`<td data-label="${labelOf(field, display)}">${show(name, field, item, within)}</td>`)}
  </tr>`;
}

function labelOf({ labels }: Field, { language }: DisplayOptions): string {
  return labels[language];
}

/** @param bytes of each without its values */
function rowsOf<T>(values: readonly T[], { budget }: DisplayOptions, bytes: number, show: (value: T) => Html): Html[] {
  const shown: Html[] = [];
  for (const value of values.slice(0, MAX_SHOWN)) {
    if (!budget.reserve(bytes)) break;
    shown.push(show(value));
  }
  return shown;
}

function rest(count: number, { language }: DisplayOptions): Html {
  return html`${count > 0 && html`<p>${TEXTS[language].moreItems.replace('{n}', String(count))}</p>`}`;
}
