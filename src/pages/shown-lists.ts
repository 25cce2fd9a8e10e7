import type { Field } from '../asset-types/fields.js';
import type { JsonObject } from './asset-on-page.js';
import { escaped, type Html, html, type Part } from './html.js';
import { BYTES_OF_MARKUP, type Showing } from './showing.js';
import { TEXTS } from './texts.js';

const MOST_SHOWN = 20;
/** What a cell takes beside its value and its label. */
const BYTES_OF_CELL = 27;
/** What a table takes beside its columns and rows. */
const BYTES_OF_TABLE = 300;

/** Shows one field of an item, or of the asset, for its line or column. @param values the item or asset */
type ShowField = (name: string, field: Field, values: JsonObject, showing: Showing) => Part;

/** Values one below the other, the first twenty. @param show one of them */
export function showList(values: readonly unknown[], showing: Showing, show: (value: never) => Part): Html {
  const shown = rowsOf(values, showing, BYTES_OF_MARKUP, (value) => html`<li>${show(value as never)}</li>`);
  return html`<ul class="items">
      ${shown}
    </ul>
    ${rest(values.length - shown.length, showing)}`;
}

/**
 * Items with a row each, the first twenty. Where there are many columns it scrolls by itself, with the keyboard as well; on a narrow screen
 * each row is a list of its own, and each cell has the label of its column.
 * @param columns those in which an item has something
 */
export function showTable(
  items: readonly JsonObject[],
  { label, columns }: { label: string; columns: ReadonlyMap<string, Field> },
  showing: Showing,
  show: ShowField,
): Html {
  const bytesOfLabels = Buffer.byteLength(
    [...columns.values()].map((field) => escaped(labelOf(field, showing))).join(''),
  );
  const bytesOfCells = columns.size * BYTES_OF_CELL + bytesOfLabels;
  if (!showing.room.reserve(BYTES_OF_TABLE + bytesOfCells + Buffer.byteLength(label)))
    return rest(items.length, showing);
  const rows = rowsOf(items, showing, BYTES_OF_MARKUP + bytesOfCells, (item) => rowOf(item, columns, showing, show));
  return html`<section class="wide-table" tabindex="0" aria-label="${label}">
      <table>
        <thead>
          <tr>
            ${[...columns.values()].map((field) => html`<th scope="col">${labelOf(field, showing)}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </section>
    ${rest(items.length - rows.length, showing)}`;
}

function rowOf(item: JsonObject, columns: ReadonlyMap<string, Field>, showing: Showing, show: ShowField): Html {
  const within: Showing = { ...showing, isInTable: true };
  return html`<tr>
    ${[...columns].map(([name, field]) => html`<td data-label="${labelOf(field, showing)}">${show(name, field, item, within)}</td>`)}
  </tr>`;
}

function labelOf({ labels }: Field, { language }: Showing): string {
  return labels[language];
}

/** @param bytes that each takes beside its values */
function rowsOf<T>(values: readonly T[], { room }: Showing, bytes: number, show: (value: T) => Html): Html[] {
  const shown: Html[] = [];
  for (const value of values.slice(0, MOST_SHOWN)) {
    if (!room.reserve(bytes)) break;
    shown.push(show(value));
  }
  return shown;
}

function rest(count: number, { language }: Showing): Html {
  return html`${count > 0 && html`<p>${TEXTS[language].moreItems.replace('{n}', String(count))}</p>`}`;
}
