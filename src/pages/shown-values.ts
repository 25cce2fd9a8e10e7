import { type DtoClass, type Field, fieldsOf, ID_SCHEMA } from '../asset-types/fields.js';
import { Address, Classification, ContactPoint, Identifier, Unit, Value } from '../asset-types/shared/parts.dto.js';
import { unitName } from '../asset-types/shared/unit-names.js';
import type { JsonObject } from './asset-view-model.js';
import { type Html, html, type Part } from './html.js';
import { inEach, type Language } from './language.js';
import { MARKUP_BYTES, showCode, showRow, type DisplayOptions } from './display-options.js';
import { showList, showTable } from './shown-lists.js';
import { showAddress, showClassification, showContact, showIdentifier, showLink } from './shown-parts.js';
import { TEXTS } from './texts.js';
import { brokerText } from './broker-text.js';

/*
 * Shows values by the field metadata of the type. Shared DTOs have their own renderer; others are shown field by field, so that a new type needs
 * no code here.
 */

/** Bytes of a line without its label and value. */
const MAX_LINE_BYTES = 80;
const NOTHING = '—';

type Show = (value: JsonObject, display: DisplayOptions) => Html;

const SHARED = new Map<DtoClass, Show>([
  [Value, showMoney],
  [Address, showAddress],
  [Classification, showClassification],
  [ContactPoint, showContact],
  [Identifier, showIdentifier],
]);

/** Whether a shared DTO is shown as one value instead of field by field. */
export function hasOwnForm(dto: DtoClass): boolean {
  return SHARED.has(dto);
}

/**
 * Labels and values of an object's fields.
 * @param fields in their order
 */
export function showFields(fields: ReadonlyMap<string, Field>, values: JsonObject, display: DisplayOptions): Html {
  const unit = unitShownWithQuantity(unitsAmong(fields), values);
  const rows: Html[] = [];
  for (const [name, field] of fields) {
    const label = field.labels[display.language];
    if (!isShown(name, field, values, unit)) continue;
    if (!display.budget.reserve(MAX_LINE_BYTES + Buffer.byteLength(label))) continue;
    rows.push(showRow(label, showField(name, field, values, unit, display)));
  }
  return html`<dl>${rows}</dl>`;
}

/** Whether the field has its own row: it has a value, and is neither the unit of another field nor the id of an item. */
function isShown(name: string, field: Field, values: JsonObject, unit: string | undefined): boolean {
  const value = values[name];
  const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
  return !isEmpty && name !== unit && !(name === 'id' && isItemId(field));
}

/** Ids of items are for programs only. */
function isItemId({ schema }: Field): boolean {
  return schema === ID_SCHEMA;
}

/** The field with the unit of `quantity`, with which it is shown. @param units names of such fields */
function unitShownWithQuantity(units: readonly string[], values: JsonObject): string | undefined {
  return typeof values['quantity'] === 'number' ? units.find((name) => values[name] !== undefined) : undefined;
}

function unitsAmong(fields: ReadonlyMap<string, Field>): string[] {
  return [...fields].flatMap(([name, { nested }]) => (nested?.() === Unit ? [name] : []));
}

function showField(
  name: string,
  field: Field,
  values: JsonObject,
  unit: string | undefined,
  display: DisplayOptions,
): Part {
  if (name === 'quantity' && unit !== undefined) return showQuantity(Number(values[name]), values[unit], display);
  return showValue(field, values[name], display);
}

/** A value of a field, without its label. */
export function showValue(field: Field, value: unknown, display: DisplayOptions): Part {
  const { nested, list } = field;
  if (nested === undefined) return showPlain(field, value, display);
  return list ? showItems(nested(), field, value as JsonObject[], display) : showNested(nested(), value, display);
}

function showPlain(field: Field, value: unknown, display: DisplayOptions): Part {
  const { language, budget } = display;
  if (Array.isArray(value)) return showList(value, display, (one: unknown) => showPlain(field, one, display));
  if (typeof value === 'number') return budget.fit(showNumber(value, language, field.ungrouped));
  if (typeof value === 'boolean') return TEXTS[language][value ? 'yes' : 'no'];
  if (typeof value !== 'string') return budget.shorten(JSON.stringify(value));
  return showString(field, value, display);
}

function showString({ choices, schema }: Field, value: string, display: DisplayOptions): Html {
  const { language, budget } = display;
  if (choices !== undefined) return budget.shorten(choices[value]?.[language] ?? value);
  if (schema['format'] === 'iri' || schema['format'] === 'uri') return showLink(value, display);
  if (schema['format'] === 'date' && !Number.isNaN(Date.parse(value)))
    return budget.fit(html`<time datetime="${value}">${dayFormats[language].format(Date.parse(value))}</time>`);
  const us = schema['format'] === 'date-time' ? Date.parse(value) * 1_000 : NaN;
  // Not an invalid date, nor one too far away to be exact in microseconds.
  if (Number.isSafeInteger(us)) return budget.fit(display.times.show(us, language));
  return brokerText(value, budget.shorten(value), language);
}

function showNested(dto: DtoClass, value: unknown, display: DisplayOptions): Html {
  const show = SHARED.get(dto);
  if (show === undefined) return showFields(fieldsOf(dto), value as JsonObject, display);
  return display.budget.reserve(MARKUP_BYTES) ? show(value as JsonObject, display) : display.budget.shorten('…');
}

function showItems(dto: DtoClass, { labels }: Field, items: readonly JsonObject[], display: DisplayOptions): Html {
  if (display.isInTable) return showList(items, display, (item: JsonObject) => showNested(dto, item, display));
  const fields = fieldsOf(dto);
  const units = unitsAmong(fields);
  const unitOf = (item: JsonObject): string | undefined => unitShownWithQuantity(units, item);
  const columns = [...fields].filter(([name, field]) => items.some((item) => isShown(name, field, item, unitOf(item))));
  const table = { label: labels[display.language], columns: new Map(columns) };
  return showTable(
    items,
    table,
    display,
    (name, field, item, within) =>
      isShown(name, field, item, unitOf(item)) && showField(name, field, item, unitOf(item), within),
  );
}

/** A part of it may have been erased. */
function showMoney({ amount, currency, valueAddedTaxIncluded }: JsonObject, display: DisplayOptions): Html {
  const { withTax, withoutTax } = TEXTS[display.language];
  const tax = typeof valueAddedTaxIncluded === 'boolean' && `, ${valueAddedTaxIncluded ? withTax : withoutTax}`;
  const unit = typeof currency === 'string' ? currency : '';
  if (typeof amount !== 'number') return display.budget.shorten(unit || NOTHING);
  const shown = money(amount, unit, display.language);
  return display.budget.fit(html`<data value="${amount}" class="money">${shown}</data>${tax}`);
}

function showQuantity(quantity: number, unit: unknown, { language, budget }: DisplayOptions): Html {
  const { code } = unit as { code?: string };
  const name = unitName(unit as object, quantity, language);
  return html`${budget.fit(showNumber(quantity, language))} ${brokerText(name, budget.shorten(name), language)}
  ${showCode([code], budget)}`;
}

const formats = (options: Intl.NumberFormatOptions) =>
  inEach((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 9, ...options }));

const numberFormats = formats({});
const ungroupedFormats = formats({ useGrouping: false });
const moneyFormats = formats({ minimumFractionDigits: 2 });
const dayFormats = inEach((locale) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'long' }));

function showNumber(value: number, language: Language, ungrouped = false): Html {
  const { [language]: format } = ungrouped ? ungroupedFormats : numberFormats;
  return html`<data value="${value}">${format.format(value)}</data>`;
}

export function printNumber(value: number, language: Language): string {
  return numberFormats[language].format(value);
}

/** `1 234,50 UAH`. @param amount a string for decimals that a number cannot represent */
export function money(amount: number | `${number}`, currency: string, language: Language): string {
  return `${moneyFormats[language].format(amount)} ${currency}`;
}
