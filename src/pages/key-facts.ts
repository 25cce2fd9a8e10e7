import { Address, Value } from '../asset-types/shared/parts.dto.js';
import type { AssetViewModel } from './asset-view-model.js';
import { shortened } from './byte-budget.js';
import type { LoweredPrice } from './changed-values.js';
import { type DisplayOptions, showRow } from './display-options.js';
import { type Html, html } from './html.js';
import { linkToSite } from './shown-parts.js';
import { money, showFields } from './shown-values.js';
import { TEXTS } from './texts.js';

/** Enough for the longest display name in Ukrainian. */
const MAX_BROKER_BYTES = 400;

interface KeyFacts {
  page: AssetViewModel;
  /** Display name of the broker, if it differs from the account's name. */
  brokerName?: string | undefined;
  lowered?: LoweredPrice | undefined;
  /** The setting LOT_URL; undefined: lots are not links. */
  lotUrl: string | undefined;
}

/** Names of the fields that are key facts. */
export function keyFields(page: AssetViewModel): ReadonlySet<string | undefined> {
  return new Set([page.nameOf(Value), page.nameOf(Address)]);
}

/** Shows price, address, lot, broker and dates. */
export function showKeyFacts({ page, brokerName, lowered, lotUrl }: KeyFacts, display: DisplayOptions): Html {
  const { language, times } = display;
  const texts = TEXTS[language];
  const { owner, relatedLot, createdUs, modifiedUs } = page.asset;
  const own = (name: string | undefined): Html =>
    showFields(new Map([...page.fields].filter(([field]) => field === name)), page.values, display);
  const lot = relatedLot !== null && showRow(page.labelsOf('relatedLot')[language], showLot(relatedLot, lotUrl));
  const name = brokerName !== undefined && html`<bdi>${shortened(brokerName, MAX_BROKER_BYTES)}</bdi> · `;
  return html`${own(page.nameOf(Value))} ${lowered && showLowered(page, lowered, display)} ${own(page.nameOf(Address))}
    <dl>
      ${lot} ${showRow(texts.broker, html`${name}<bdi>${owner}</bdi>`)}
      ${showRow(texts.created, times.show(createdUs, language))}
      ${showRow(texts.changed, times.show(modifiedUs, language))}
    </dl>`;
}

function showLowered(
  { value }: AssetViewModel,
  { from, atUs }: LoweredPrice,
  { language, times }: DisplayOptions,
): Html {
  const before = money(from, value?.currency ?? '', language);
  return html`<p id="lowered" class="note">
    ${TEXTS[language].loweredFrom} <del>${before}</del>, ${times.day(atUs, language)}
  </p>`;
}

function showLot(lot: string, lotUrl: string | undefined): Html {
  const url = lotUrl?.replace('{id}', () => encodeURIComponent(lot.toWellFormed()));
  return html`<span class="code" id="lot">${url === undefined ? lot : linkToSite(url, lot)}</span>`;
}
