import { type Html, html } from './html.js';

/** A line, which a class of the style draws. */
export interface Line {
  label: string;
  style: 'solid' | 'dashed';
  values: readonly number[];
}

/** Values over time, of which the numbers stand in a table below. @param ends the first and the last moment @param highest the largest value in words */
export function lineChart(lines: readonly Line[], ends: readonly string[], highest: string): Html {
  const most = Math.max(1, ...lines.flatMap(({ values }) => values));
  const name = lines.map(({ label }) => label).join(', ');
  // The picture takes the width that there is. Texts stand around it, so that none is cut off or becomes small.
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

/** In hundredths of the width and of the height, from the left and from the top. */
function pointsOf(values: readonly number[], most: number): string {
  const x = (i: number): string => ((100 * i) / (values.length - 1)).toFixed(1);
  return values.map((value, i) => `${x(i)},${(100 * (1 - value / most)).toFixed(1)}`).join(' ');
}
