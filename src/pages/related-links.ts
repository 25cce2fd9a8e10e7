import { regionKey } from '../search/region-key.js';
import type { AssetViewModel } from './asset-view-model.js';
import type { Custodian } from '../asset-types/shared/parts.dto.js';
import { type Html, html } from './html.js';
import { linkToList } from './list-links.js';
import { type Condition, MAX_VALUE_LENGTH } from './page-query.js';
import { ByteBudget } from './byte-budget.js';
import { TEXTS } from './texts.js';
import type { PageContext } from './page-context.js';

const BYTES = 1_200;

/** Links to assets of the same custodian, broker or region, if the search reads the value unchanged. */
export function relatedLinks(page: AssetViewModel, context: PageContext): Html {
  const texts = TEXTS[context.language];
  const { custodian, address, asset } = page;
  const budget = new ByteBudget(BYTES);
  const link = (name: Condition['name'], value: string | undefined, text: string): Html | undefined => {
    if (typeof value !== 'string' || value.length > MAX_VALUE_LENGTH || !isRead(name, value)) return undefined;
    const conditions = [{ name, value: value.toWellFormed() }];
    const shown = html`<a rel="nofollow" href="${linkToList(context, conditions)}">${text}</a> `;
    return budget.reserve(Buffer.byteLength(shown.text)) ? shown : undefined;
  };
  return html`<nav id="others" aria-label="${texts.others}">
    ${link('custodian', (custodian as Partial<Custodian> | undefined)?.identifier?.id, texts.ofCustodian)}
    ${link('owner', asset.owner, texts.ofBroker)} ${link('region', address?.region, texts.inRegion)}
  </nav>`;
}

/** The search trims values, and compares only letters and digits of a region. */
function isRead(name: Condition['name'], value: string): boolean {
  return name === 'region' ? regionKey(value) !== '' : value !== '' && value.trim() === value;
}
