import { type Html, html, type Part } from './html.js';
import type { Language } from './language.js';
import { printNumber } from './shown-values.js';

export interface Bar {
  label: Html;
  count: number;
  /** Link to the counted assets; undefined if no search finds exactly these. */
  href: string | undefined;
  /** Further columns. */
  more: readonly Part[];
}

/** A table of numbers, with a bar below each label. */
export interface BarChart {
  /** Id of the heading. */
  id: string;
  heading: string;
  /** Text below the table. */
  note?: string;
  /** Line charts above the table. */
  lines?: readonly Html[];
  /** Headings of the label, the count and the further columns. */
  columns: readonly string[];
  bars: readonly Bar[];
}

/** In hundredths of the column's width. */
const LONGEST = 100;
const SHORTEST = 0.5;

/** The label column takes the remaining width; long labels wrap. */
export function barChart({ id, heading, note, lines = [], columns, bars }: BarChart, language: Language): Html {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return html`<section>
    <h2 id="${id}">${heading}</h2>
    ${lines}
    <table class="bars" aria-labelledby="${id}">
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${bars.map((bar) => rowOf(bar, most, language))}
      </tbody>
    </table>
    ${note !== undefined && html`<p class="note">${note}</p>`}
  </section>`;
}

function rowOf(bar: Bar, most: number, language: Language): Html {
  const { label, count, more } = bar;
  return html`<tr>
    <th scope="row">${count === 0 ? label : barOf(bar, most)}</th>
    <td>${printNumber(count, language)}</td>
    ${more.map((part) => html`<td>${part}</td>`)}
  </tr>`;
}

function barOf({ label, count, href }: Bar, most: number): Html {
  const width = Math.max(SHORTEST, Math.round((count / most) * LONGEST * 10) / 10);
  const shown = html`${label}<svg aria-hidden="true"><rect width="${width}%" /></svg>`;
  return href === undefined ? shown : html`<a href="${href}">${shown}</a>`;
}
