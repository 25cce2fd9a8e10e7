import { type Html, html } from './html.js';

/** A line; `style` is a class of the stylesheet. */
export interface Line {
  label: string;
  style: 'solid' | 'dashed';
  values: readonly number[];
}

/** Lines over time, above a table of the same numbers. @param ends labels of the first and the last value @param highest label of the largest value */
export function lineChart(lines: readonly Line[], ends: readonly string[], highest: string): Html {
  const most = Math.max(1, ...lines.flatMap(({ values }) => values));
  const name = lines.map(({ label }) => label).join(', ');
  // Texts are outside of the SVG, because it is stretched to the width of the page.
  return html`<figure>
    <figcaption>
      ${lines.map(({ label, style }) => html`<span class="${style}">${label}</span> `)}
      <span class="note">${highest}</span>
    </figcaption>
    <svg role="img" aria-label="${name}. ${highest}" viewBox="0 -1 100 102" preserveAspectRatio="none">
      ${lines.map(({ values, style }) => html`<polyline class="${style}" points="${pointsOf(values, most)}" />`)}
    </svg>
    <p class="note ends">${ends.map((end) => html`<span>${end}</span>`)}</p>
  </figure>`;
}

/** Coordinates in percent, from the top left. */
function pointsOf(values: readonly number[], most: number): string {
  const x = (i: number): string => ((100 * i) / (values.length - 1)).toFixed(1);
  return values.map((value, i) => `${x(i)},${(100 * (1 - value / most)).toFixed(1)}`).join(' ');
}
