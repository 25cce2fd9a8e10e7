import { type DtoClass, type Field, fieldsOf } from '../asset-types/fields.js';
import { Address, Classification, Identifier, Unit, Value } from '../asset-types/shared/parts.dto.js';
import type { JsonObject } from './asset-on-page.js';
import { type Html, html, type Part } from './html.js';
import type { Language } from './language.js';
import type { Room } from './room.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';

/*
 * The values of an asset as people read them, by what its type says of its fields. The DTOs that types share have a form of their own;
 * any other is a list of its fields, so that a new type needs no code here.
 */

/** What decides how a value is shown. */
export interface Showing {
  language: Language;
  room: Room;
  times: ShownTimes;
}

const MOST_ITEMS_SHOWN = 20;
/** What a line takes beside its label and value, and what a value does beside its texts. */
const BYTES_OF_LINE = 80;
const BYTES_OF_MARKUP = 100;
const BYTES_OF_CODE = 400;

type Show = (value: JsonObject, showing: Showing) => Html;

const SHARED = new Map<DtoClass, Show>([
  [Value, ({ amount, currency, ...value }, showing) => showMoney(Number(amount), String(currency), value, showing)],
  [Address, showAddress],
  [Classification, showClassification],
  [Identifier, showIdentifier],
]);

/**
 * Labels and values of an object's fields.
 * @param fields in their order
 */
export function showFields(fields: ReadonlyMap<string, Field>, values: JsonObject, showing: Showing): Html {
  const unit = unitBeside(fields, values);
  const rows: Html[] = [];
  for (const [name, field] of fields) {
    const value = values[name];
    const isElsewhere = name === unit || (name === 'id' && isItemId(field));
    const label = field.labels[showing.language];
    if (value === undefined || isElsewhere || !showing.room.reserve(BYTES_OF_LINE + Buffer.byteLength(label))) continue;
    const hasUnit = name === 'quantity' && unit !== undefined;
    const shown = hasUnit ? showQuantity(Number(value), values[unit], showing) : showValue(field, value, showing);
    rows.push(
      html`<div>
        <dt>${label}</dt>
        <dd>${shown}</dd>
      </div>`,
    );
  }
  return html`<dl>${rows}</dl>`;
}

/** An item's id is for programs. */
function isItemId({ schema }: Field): boolean {
  return schema['pattern'] === '^[0-9a-f]{32}$';
}

/** The name of the field that holds the quantity's unit: they are read together. */
function unitBeside(fields: ReadonlyMap<string, Field>, values: JsonObject): string | undefined {
  if (typeof values['quantity'] !== 'number') return undefined;
  return [...fields].find(([name, { nested }]) => nested?.() === Unit && values[name] !== undefined)?.[0];
}

function showValue(field: Field, value: unknown, showing: Showing): Part {
  const { nested, list, choices, schema } = field;
  const { language, room } = showing;
  if (nested !== undefined)
    return list ? showItems(nested(), value as JsonObject[], showing) : showNested(nested(), value, showing);
  if (typeof value === 'number') return room.fit(showNumber(value, language));
  if (typeof value === 'boolean') return TEXTS[language][value ? 'yes' : 'no'];
  if (typeof value !== 'string') return room.take(JSON.stringify(value));
  if (choices !== undefined) return room.take(choices[value]?.[language] ?? value);
  if (schema['format'] === 'uri') return showLink(value, showing);
  if (schema['format'] === 'date-time' && !Number.isNaN(Date.parse(value)))
    return room.fit(showing.times.show(Date.parse(value) * 1_000, language));
  return html`<bdi>${room.take(value)}</bdi>`;
}

function showNested(dto: DtoClass, value: unknown, showing: Showing): Html {
  const show = SHARED.get(dto);
  if (show === undefined) return showFields(fieldsOf(dto), value as JsonObject, showing);
  return showing.room.reserve(BYTES_OF_MARKUP) ? show(value as JsonObject, showing) : showing.room.take('…');
}

function showItems(dto: DtoClass, items: readonly JsonObject[], showing: Showing): Html {
  const shown: Html[] = [];
  while (shown.length < Math.min(items.length, MOST_ITEMS_SHOWN) && showing.room.reserve(BYTES_OF_MARKUP))
    shown.push(html`<li>${showNested(dto, items[shown.length], showing)}</li>`);
  const rest = items.length - shown.length;
  const { moreItems } = TEXTS[showing.language];
  return html`<ol class="items">
      ${shown}
    </ol>
    ${rest > 0 && html`<p>${moreItems.replace('{n}', String(rest))}</p>`}`;
}

function showMoney(amount: number, currency: string, { valueAddedTaxIncluded }: JsonObject, showing: Showing): Html {
  const { withTax, withoutTax } = TEXTS[showing.language];
  const tax = valueAddedTaxIncluded === false ? withoutTax : withTax;
  const shown = money(amount, currency, showing.language);
  return showing.room.fit(html`<data value="${amount}" class="money">${shown}</data>, ${tax}`);
}

function showQuantity(quantity: number, unit: unknown, { language, room }: Showing): Html {
  const { name, code } = unit as { name: string; code: string };
  return html`${room.fit(showNumber(quantity, language))} <bdi>${room.take(name)}</bdi> ${showCode([code], room)}`;
}
function showAddress(address: JsonObject, { room }: Showing): Html {
  const { streetAddress, locality, region, postalCode, countryName } = address as Record<string, string | undefined>;
  const last = [postalCode, countryName].filter(Boolean).join(' ');
  // A city that is a region of its own is named once.
  const lines = [...new Set([streetAddress, locality, region, last])].filter(
    (line) => line !== undefined && line !== '',
  );
  return html`<address>
    ${lines.map((line, i) => html`${i > 0 && html`<br />`}<bdi>${room.take(line as string)}</bdi>`)}
  </address>`;
}

function showClassification(classification: JsonObject, { room }: Showing): Html {
  const { scheme, id, description } = classification as Record<string, string>;
  return html`<bdi>${room.take(description as string)}</bdi> ${showCode([scheme, id], room)}`;
}

function showCode(parts: readonly (string | undefined)[], room: Room): Html {
  return html`<span class="code">${room.take(parts.join(' '), BYTES_OF_CODE)}</span>`;
}

function showIdentifier(identifier: JsonObject, showing: Showing): Html {
  const { scheme, id, uri } = identifier as Record<string, string | undefined>;
  const { link } = TEXTS[showing.language];
  return html`${showCode([scheme, id], showing.room)} ${uri !== undefined && showLink(uri, showing, link)}`;
}

/** The rule of the field has let pass web addresses only; whatever else came to be stored is no link. @param name in the place of the address */
function showLink(uri: string, { room }: Showing, name?: string): Html {
  const isLink = /^https?:\/\//i.test(uri) && room.reserve(Buffer.byteLength(uri));
  if (!isLink) return html`<bdi>${room.take(uri)}</bdi>`;
  return html`<a href="${uri}" rel="external nofollow noopener noreferrer"
    ><bdi>${name ?? room.take(uri, 200)}</bdi></a
  >`;
}

const numberFormats = {
  uk: new Intl.NumberFormat('uk', { maximumFractionDigits: 9 }),
  en: new Intl.NumberFormat('en', { maximumFractionDigits: 9 }),
};
const moneyFormats = {
  uk: new Intl.NumberFormat('uk', { minimumFractionDigits: 2, maximumFractionDigits: 9 }),
  en: new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 9 }),
};

function showNumber(value: number, language: Language): Html {
  return html`<data value="${value}">${printNumber(value, language)}</data>`;
}

export function printNumber(value: number, language: Language): string {
  return numberFormats[language].format(value);
}

/** `1 234,50 UAH`. @param amount where it is text, a decimal with as many digits as it needs */
export function money(amount: number | `${number}`, currency: string, language: Language): string {
  return `${moneyFormats[language].format(amount)} ${currency}`;
}
