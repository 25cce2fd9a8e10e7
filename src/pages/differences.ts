import type { AssetViewModel } from './asset-view-model.js';
import { shownLeaves } from './changed-values.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { type Html, html, type Part } from './html.js';
import type { ShownTimes } from './times.js';
import { TEXTS } from './texts.js';
import type { PageContext } from './page-context.js';

const MAX_TABLE_BYTES = 4_500;
const MAX_VALUE_BYTES = 300;
const NOTHING = '—';

/** A table of the differences between a past state and the present one. */
export function showDifferences(
  then: AssetViewModel,
  now: AssetViewModel,
  context: PageContext,
  times: ShownTimes,
): Html {
  const { language } = context;
  const texts = TEXTS[language];
  const budget = new ByteBudget(MAX_TABLE_BYTES);
  const all = [...ownRows(then, now, context), ...fieldRows(then, now, context, times)];
  const rows = all.filter(({ text }) => budget.reserve(Buffer.byteLength(text)));
  if (all.length === 0) return html`<p>${texts.noDifferences}</p>`;
  return html`<section aria-labelledby="differences">
    <h2 id="differences">${texts.differences}</h2>
    <table class="differences">
      <thead>
        <tr>
          ${[texts.field, texts.valueThen, texts.valueNow].map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
    ${budget.hasShortened && html`<p class="note">${texts.shortened}</p>`}
  </section>`;
}

/** Rows of the state, the lot and the broker. */
function ownRows(then: AssetViewModel, now: AssetViewModel, { language }: PageContext): Html[] {
  const stateOf = (page: AssetViewModel): string => page.state?.labels[language] ?? page.asset.status;
  const values: readonly (readonly [string, string | null, string | null])[] = [
    ['status', stateOf(then), stateOf(now)],
    ['relatedLot', then.asset.relatedLot, now.asset.relatedLot],
    ['owner', then.asset.owner, now.asset.owner],
  ];
  const shown = (value: string | null): Html => html`<bdi>${shortened(value ?? NOTHING, MAX_VALUE_BYTES)}</bdi>`;
  return values
    .filter(([, before, after]) => before !== after)
    .map(([name, before, after]) => row(now.labelsOf(name)[language], [shown(before), shown(after)]));
}

function fieldRows(then: AssetViewModel, now: AssetViewModel, { language }: PageContext, times: ShownTimes): Html[] {
  const display = { language, times, mapSearchUrl: undefined, isInTable: true } as const;
  const leaves = shownLeaves(now.fields, { before: then.values, after: now.values }, display);
  return leaves.map(({ label, values, lookEqual }) => row(label, lookEqual ? [TEXTS[language].differsInside] : values));
}

/** @param values past and present, or one cell for both */
function row(label: string, values: readonly Part[]): Html {
  return html`<tr>
    <th scope="row">${label}</th>
    ${values.length === 1 ? html`<td colspan="2">${values}</td>` : values.map((value) => html`<td>${value}</td>`)}
  </tr> `;
}
