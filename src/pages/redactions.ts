import { type Redacted, redactedOf } from '../feed/reading/asset-view.js';
import type { AssetViewModel } from './asset-view-model.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { TEXTS } from './texts.js';
import { printDay, type ShownTimes, timeElement } from './times.js';
import type { PageContext } from './page-context.js';

const MAX_LIST_BYTES = 1_400;
const MAX_LINE_BYTES = 300;
const DAY = '2017-08-16'.length;

/** Lists the erased fields of a state, with reason and day. */
export function showRedactions(page: AssetViewModel, { language }: PageContext): Html | false {
  const redacted = redactedOf(page.values);
  if (redacted.length === 0) return false;
  const texts = TEXTS[language];
  const budget = new ByteBudget(MAX_LIST_BYTES);
  const lines = redacted.map(
    ({ pointer, reason, at }) =>
      html`<li>
        <span class="code">${shortened(pointer, MAX_LINE_BYTES)}</span>:
        <bdi>${shortened(reason, MAX_LINE_BYTES)}</bdi>, ${timeElement(at, printDay(at.slice(0, DAY), language))}
      </li>`,
  );
  const shown = lines.filter(({ text }) => budget.reserve(Buffer.byteLength(text)));
  return html`<section aria-labelledby="erased">
    <h2 id="erased">${texts.erased}</h2>
    <ul>
      ${shown}
    </ul>
    ${budget.hasShortened && html`<p class="note">${texts.shortened}</p>`}
  </section>`;
}

/** @returns a line with the fields that the change at this instant erased; empty if it erased none */
export function erasedBy(page: AssetViewModel, modifiedUs: number, language: Language, times: ShownTimes): Html[] {
  // Not compared as text: an instant is stored as it was printed in the time zone of then.
  const erased = redactedOf(page.values).filter(({ at }) => times.parse(at) === modifiedUs);
  return erased.length === 0 ? [] : [showChange(erased, language)];
}

function showChange(erased: readonly Redacted[], language: Language): Html {
  const pointers = erased.map(({ pointer }) => pointer).join(', ');
  const { reason = '' } = erased[0] ?? {};
  return html`<div class="change">
    ${TEXTS[language].erased}: <span class="code">${shortened(pointers, MAX_LINE_BYTES)}</span>
    (<bdi>${shortened(reason, MAX_LINE_BYTES)}</bdi>)
  </div>`;
}
