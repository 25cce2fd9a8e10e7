import { regionKey } from '../search/region-key.js';
import type { AssetOnPage } from './asset-on-page.js';
import type { Custodian } from '../asset-types/shared/parts.dto.js';
import { type Html, html } from './html.js';
import { linkToList } from './list-links.js';
import { type Condition, LONGEST } from './page-query.js';
import { Room } from './room.js';
import { TEXTS } from './texts.js';
import type { Visit } from './visit.js';

const BYTES = 1_200;

/** Searches for what has the same custodian, broker or region. A value that the search would read as another one has none. */
export function linksToOthers(page: AssetOnPage, visit: Visit): Html {
  const texts = TEXTS[visit.language];
  const { custodian, address, asset } = page;
  const room = new Room(BYTES);
  const link = (name: Condition['name'], value: string | undefined, text: string): Html | undefined => {
    if (typeof value !== 'string' || value.length > LONGEST || !isRead(name, value)) return undefined;
    const conditions = [{ name, value: value.toWellFormed() }];
    const shown = html`<a rel="nofollow" href="${linkToList(visit, conditions)}">${text}</a> `;
    return room.reserve(Buffer.byteLength(shown.text)) ? shown : undefined;
  };
  return html`<nav id="others" aria-label="${texts.others}">
    ${link('custodian', (custodian as Partial<Custodian> | undefined)?.identifier?.id, texts.ofCustodian)}
    ${link('owner', asset.owner, texts.ofBroker)} ${link('region', address?.region, texts.inRegion)}
  </nav>`;
}

/** The form takes away what stands around a value; of a region nothing but letters and digits counts. */
function isRead(name: Condition['name'], value: string): boolean {
  return name === 'region' ? regionKey(value) !== '' : value !== '' && value.trim() === value;
}
