import { type Html, html, type Part } from './html.js';
import { printNumber } from './shown-values.js';
import { linkTo, type Visit } from './visit.js';

export interface Bar {
  label: Html;
  count: number;
  /** Parameters of the search for what is counted. */
  search: Readonly<Record<string, string>>;
  /** More of it than its label and count, for the table. */
  more: readonly Part[];
}

/** A picture of bars, one below the other, and a table of the same numbers. */
export interface BarChart {
  /** Of the heading. */
  id: string;
  heading: string;
  /** What is said below the picture. */
  note: string;
  /** Of the columns: the labels, the counts, and what more there is. */
  columns: readonly string[];
  bars: readonly Bar[];
}

/** In pixels: what is to be hit by a finger is 24 high. */
const ROW = 28;
const BAR = 24;
const TO_BASELINE = 17;
/** In hundredths of the width: where bars begin, and how far the longest goes. */
const BEGIN = 37;
const LONGEST = 45;

/** Its width follows the page, so that texts keep their size; a label that is too long for its column is cut off there. */
export function barChart({ id, heading, note, columns, bars }: BarChart, visit: Visit): Html {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const rows = bars.map((bar, i) => barOf(bar, { id, y: i * ROW, most }, visit));
  return html`<section>
    <h2 id="${id}">${heading}</h2>
    <figure>
      <svg
        role="group"
        aria-labelledby="${id}-title ${id}-desc"
        width="100%"
        height="${Math.max(bars.length, 1) * ROW}"
      >
        <title id="${id}-title">${heading}</title>
        <desc id="${id}-desc">${note}</desc>
        <clipPath id="${id}-c"><rect width="${BEGIN - 1}%" height="${ROW}" /></clipPath>
        ${rows}
      </svg>
      <figcaption>${note}</figcaption>
    </figure>
    <table aria-labelledby="${id}">
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${bars.map((bar) => rowOf(bar, visit))}
      </tbody>
    </table>
  </section>`;
}

function barOf(
  { label, count, search }: Bar,
  { id, y, most }: { id: string; y: number; most: number },
  visit: Visit,
): Html {
  const parameters = Object.entries(search).map(([name, value]) => ({ name, value }));
  const width = count === 0 ? 0 : Math.max(0.5, Math.round((count / most) * LONGEST * 10) / 10);
  return html`<a href="${linkTo(visit, '/', parameters)}" transform="translate(0 ${y})">
    <text y="${TO_BASELINE}" clip-path="url(#${id}-c)">${label}</text>
    <rect x="${BEGIN}%" width="${width}%" height="${BAR}" />
    <text x="${(BEGIN + width + 1).toFixed(1)}%" y="${TO_BASELINE}">${printNumber(count, visit.language)}</text>
  </a>`;
}

function rowOf({ label, count, more }: Bar, { language }: Visit): Html {
  return html`<tr>
    <th scope="row">${label}</th>
    <td>${printNumber(count, language)}</td>
    ${more.map((part) => html`<td>${part}</td>`)}
  </tr>`;
}
