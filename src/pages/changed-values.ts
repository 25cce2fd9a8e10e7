import { isSame } from '../feed/reading/asset-view.js';
import type { DtoClass, Field } from '../asset-types/fields.js';
import { fieldsOf } from '../asset-types/fields.js';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import type { HistoryEntry } from '../feed/reading/asset-history.js';
import type { PastStates } from '../feed/reading/past-states.js';
import { Value } from '../asset-types/shared/parts.dto.js';
import type { AssetViewModel, JsonObject } from './asset-view-model.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';
import { ByteBudget } from './byte-budget.js';
import type { DisplayOptions } from './display-options.js';
import { hasOwnForm, showValue } from './shown-values.js';
import { TEXTS } from './texts.js';

/** Changes of which a page shows values unless it says otherwise; of the others it shows the names of the fields. */
const MAX_CHANGES = 10;
/** Changes of the price that are looked at: some leave the amount as it is. */
const MAX_PRICES = 3;
const BYTES_OF_VALUE = 260;
/** Characters of a text that is told from its first difference on, and what is told before that. */
const LONG_TEXT = 100;
const BEFORE_DIFFERENCE = 30;
const NOTHING = '—';

/** The broker's fields before and after a change. */
export interface BeforeAndAfter {
  before: JsonObject;
  after: JsonObject;
}

/** Places in a history that are shown as one change, both included. The history is newest first, so `newest` is the smaller one. */
export interface Run {
  newest: number;
  oldest: number;
}

/**
 * Reads the fields before and after the first of the shown runs.
 * @param max how many runs @returns them by the newest place of their run @throws ApiError 503
 */
export async function readChanges(
  states: PastStates,
  runs: readonly Run[],
  max = MAX_CHANGES,
): Promise<Map<number, BeforeAndAfter>> {
  const changes = new Map<number, BeforeAndAfter>();
  for (const { newest, oldest } of runs.filter((run) => changesFields(states.history, run)).slice(0, max)) {
    if (states.isSpent) break;
    const [after, before] = [await states.at(newest), await states.at(oldest + 1)];
    if (after !== undefined && before !== undefined) changes.set(newest, { after, before });
  }
  return changes;
}

/** The price before it was lowered to the present one, and when, in microseconds. */
export interface LoweredPrice {
  from: number;
  atUs: number;
}

/**
 * Finds the public price before the present one.
 * @returns undefined where that was lower, or cannot be compared: in another currency, with other tax, erased
 * @throws ApiError 503
 */
export async function findLoweredPrice(page: AssetViewModel, states: PastStates): Promise<LoweredPrice | undefined> {
  const { value } = page;
  const name = page.nameOf(Value) ?? '';
  const places = [...states.history.keys()].filter((place) => states.history[place]?.changed?.includes(name));
  for (const place of places.slice(0, MAX_PRICES)) {
    const before = (await states.at(place + 1))?.[name] as Partial<Value> | undefined;
    if (value === undefined || before?.amount === undefined || !isComparable(before, value)) return undefined;
    const { amount: from } = before;
    if (from < value.amount) return undefined;
    if (from > value.amount) return { from, atUs: states.history[place]?.modifiedUs as number };
  }
  return undefined;
}

function isComparable(one: Partial<Value>, other: Value): boolean {
  return one.currency === other.currency && one.valueAddedTaxIncluded === other.valueAddedTaxIncluded;
}

/** Whether the broker's fields were changed, and what they were before is public. */
function changesFields(history: readonly HistoryEntry[], { newest, oldest }: Run): boolean {
  const own = history[newest]?.changed?.some((name) => !SERVICE_FIELDS.has(name));
  return own === true && history[oldest + 1] !== undefined;
}

/** A field before and after a change, as it is shown. */
export interface ShownLeaf {
  label: string;
  values: readonly [Html, Html];
  /** What differs is not seen in the values: it is in one of the items, or too far on in a text. */
  areAlike: boolean;
}

/** From what to what each field was changed: `Value › Amount: 1 → 2`. */
export function showChanges(...change: Parameters<typeof shownLeaves>): Html[] {
  const [, , { language }] = change;
  return shownLeaves(...change).map(({ label, values, areAlike }) =>
    areAlike ? showName(label, language) : showChange(label, values),
  );
}

export function shownLeaves(
  fields: ReadonlyMap<string, Field>,
  { before, after }: BeforeAndAfter,
  display: Omit<DisplayOptions, 'budget'>,
): ShownLeaf[] {
  return leafChanges(fields, before, after, '', display.language).map(({ label, field, from, to }) => {
    const values = fromDifference(from, to).map((value) => shownValue(field, value, display)) as [Html, Html];
    return { label, values, areAlike: values[0].text === values[1].text };
  });
}

function showName(label: string, language: Language): Html {
  return html`<div class="change">${TEXTS[language].changed}: ${label}</div>`;
}

/** Two long texts that begin alike: from shortly before the first difference on. */
function fromDifference(from: unknown, to: unknown): [unknown, unknown] {
  if (typeof from !== 'string' || typeof to !== 'string') return [from, to];
  if (Math.max(from.length, to.length) <= LONG_TEXT) return [from, to];
  const shorter = Math.min(from.length, to.length);
  let same = 0;
  while (same < shorter && from[same] === to[same]) same++;
  const begin = same - BEFORE_DIFFERENCE;
  return begin <= 0 ? [from, to] : [textFrom(from, begin), textFrom(to, begin)];
}

/** Half of a pair is no character. */
function textFrom(text: string, begin: number): string {
  return `…${text.slice(begin).replace(/^[\udc00-\udfff]/, '')}`;
}

/** @param values before and after */
export function showChange(label: string, [from, to]: readonly [Html | string, Html | string]): Html {
  return html`<div class="change">${label}: <del>${from}</del> → <ins>${to}</ins></div>`;
}

function shownValue(field: Field, value: unknown, display: Omit<DisplayOptions, 'budget'>): Html {
  if (value === undefined) return html`${NOTHING}`;
  // Of items only how many there are: each has its line in the JSON of the two states.
  if (field.list) return html`${(value as unknown[]).length}`;
  return html`${showValue(field, value, { ...display, budget: new ByteBudget(BYTES_OF_VALUE), mapSearchUrl: undefined })}`;
}

interface LeafChange {
  label: string;
  field: Field;
  from: unknown;
  to: unknown;
}

function leafChanges(
  fields: ReadonlyMap<string, Field>,
  before: JsonObject,
  after: JsonObject,
  path: string,
  language: Language,
): LeafChange[] {
  return [...fields].flatMap(([name, field]) => {
    const [from, to] = [before[name], after[name]];
    if (isSame(from, to)) return [];
    const label = path + field.labels[language];
    const dto = innerOf(field);
    if (dto === undefined || from === undefined || to === undefined) return [{ label, field, from, to }];
    return leafChanges(fieldsOf(dto), from as JsonObject, to as JsonObject, `${label} › `, language);
  });
}

/** The DTO of a nested object that is shown field by field. */
function innerOf({ nested, list }: Field): DtoClass | undefined {
  const dto = list ? undefined : nested?.();
  return dto !== undefined && !hasOwnForm(dto) ? dto : undefined;
}
