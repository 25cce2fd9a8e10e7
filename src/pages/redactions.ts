import { type Redacted, redactedOf } from '../asset/asset-view.js';
import type { AssetOnPage } from './asset-on-page.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';
import { Room, shortened } from './room.js';
import { TEXTS } from './texts.js';
import { type ShownTimes, timeElement } from './times.js';
import type { Visit } from './visit.js';

const BYTES = 1_400;
const BYTES_OF_LINE = 300;
const DAY = '2017-08-16'.length;

/** What was erased of a state: which field, why, and on which day. */
export function showRedactions(page: AssetOnPage, { language }: Visit): Html | false {
  const redacted = redactedOf(page.values);
  if (redacted.length === 0) return false;
  const texts = TEXTS[language];
  const room = new Room(BYTES);
  const lines = redacted.map(
    ({ pointer, reason, at }) =>
      html`<li>
        <span class="code">${shortened(pointer, BYTES_OF_LINE)}</span>: <bdi>${shortened(reason, BYTES_OF_LINE)}</bdi>,
        ${timeElement(at, at.slice(0, DAY))}
      </li>`,
  );
  const shown = lines.filter(({ text }) => room.reserve(Buffer.byteLength(text)));
  return html`<section aria-labelledby="erased">
    <h2 id="erased">${texts.erased}</h2>
    <ul>
      ${shown}
    </ul>
    ${room.hasShortened && html`<p class="note">${texts.shortened}</p>`}
  </section>`;
}

/** What the change of an instant has erased, in the place of what it has changed. @returns nothing where it was another kind of change */
export function erasedBy(page: AssetOnPage, modifiedUs: number, language: Language, times: ShownTimes): Html[] {
  const at = times.print(modifiedUs);
  const erased = redactedOf(page.values).filter((one) => one.at === at);
  return erased.length === 0 ? [] : [showChange(erased, language)];
}

function showChange(erased: readonly Redacted[], language: Language): Html {
  const pointers = erased.map(({ pointer }) => pointer).join(', ');
  const { reason = '' } = erased[0] ?? {};
  return html`<div class="change">
    ${TEXTS[language].erased}: <span class="code">${shortened(pointers, BYTES_OF_LINE)}</span>
    (<bdi>${shortened(reason, BYTES_OF_LINE)}</bdi>)
  </div>`;
}
