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

/** Default number of changes that are shown with values. */
const MAX_CHANGES = 10;
/** Changes of the price that are read, because some change only the tax. */
const MAX_PRICES = 3;
const MAX_VALUE_BYTES = 260;
/** Longer texts are shown from shortly before their first difference. */
const LONG_TEXT = 100;
const BEFORE_DIFFERENCE = 30;
const NOTHING = '—';

/** The broker's fields before and after a change. */
export interface BeforeAndAfter {
  before: JsonObject;
  after: JsonObject;
}

/** Indexes of consecutive history entries that are shown as one change, both included; `newest` is the smaller one. */
export interface Run {
  newest: number;
  oldest: number;
}

/**
 * Reads the fields before and after the first of the shown runs.
 * @param max how many runs @returns them by the index of their newest entry @throws ApiError 503
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

/** The price before it was lowered to the present one; `atUs`: when, in microseconds. */
export interface LoweredPrice {
  from: number;
  atUs: number;
}

/**
 * Finds the public price before the present one.
 * @returns undefined if it was lower, or cannot be compared: another currency, other tax, erased
 * @throws ApiError 503
 */
export async function findLoweredPrice(page: AssetViewModel, states: PastStates): Promise<LoweredPrice | undefined> {
  const { value } = page;
  const name = page.nameOf(Value) ?? '';
  const indexes = [...states.history.keys()].filter((index) => states.history[index]?.changed?.includes(name));
  for (const index of indexes.slice(0, MAX_PRICES)) {
    const before = (await states.at(index + 1))?.[name] as Partial<Value> | undefined;
    if (value === undefined || before?.amount === undefined || !isComparable(before, value)) return undefined;
    const { amount: from } = before;
    if (from < value.amount) return undefined;
    if (from > value.amount) return { from, atUs: states.history[index]?.modifiedUs as number };
  }
  return undefined;
}

function isComparable(one: Partial<Value>, other: Value): boolean {
  return one.currency === other.currency && one.valueAddedTaxIncluded === other.valueAddedTaxIncluded;
}

/** Whether a run changed fields of the broker, and has a public state before it. */
function changesFields(history: readonly HistoryEntry[], { newest, oldest }: Run): boolean {
  const own = history[newest]?.changed?.some((name) => !SERVICE_FIELDS.has(name));
  return own === true && history[oldest + 1] !== undefined;
}

/** A field before and after a change, rendered. */
export interface ShownLeaf {
  label: string;
  values: readonly [Html, Html];
  /** The rendered values are equal: the difference is inside an item, or far into a text. */
  lookEqual: boolean;
}

/** A line for each changed field, such as `Value › Amount: 1 → 2`. */
export function showChanges(...change: Parameters<typeof shownLeaves>): Html[] {
  const [, , { language }] = change;
  return shownLeaves(...change).map(({ label, values, lookEqual }) =>
    lookEqual ? showName(label, language) : showChange(label, values),
  );
}

export function shownLeaves(
  fields: ReadonlyMap<string, Field>,
  { before, after }: BeforeAndAfter,
  display: Omit<DisplayOptions, 'budget'>,
): ShownLeaf[] {
  return leafChanges(fields, before, after, '', display.language).map(({ label, field, from, to }) => {
    const values = fromDifference(from, to).map((value) => shownValue(field, value, display)) as [Html, Html];
    return { label, values, lookEqual: values[0].text === values[1].text };
  });
}

function showName(label: string, language: Language): Html {
  return html`<div class="change">${TEXTS[language].changed}: ${label}</div>`;
}

/** Cuts the common beginning of two long texts. */
function fromDifference(from: unknown, to: unknown): [unknown, unknown] {
  if (typeof from !== 'string' || typeof to !== 'string') return [from, to];
  if (Math.max(from.length, to.length) <= LONG_TEXT) return [from, to];
  const shorter = Math.min(from.length, to.length);
  let same = 0;
  while (same < shorter && from[same] === to[same]) same++;
  const begin = same - BEFORE_DIFFERENCE;
  return begin <= 0 ? [from, to] : [textFrom(from, begin), textFrom(to, begin)];
}

/** Drops the second half of a surrogate pair. */
function textFrom(text: string, begin: number): string {
  return `…${text.slice(begin).replace(/^[\udc00-\udfff]/, '')}`;
}

/** @param values before and after */
export function showChange(label: string, [from, to]: readonly [Html | string, Html | string]): Html {
  return html`<div class="change">${label}: <del>${from}</del> → <ins>${to}</ins></div>`;
}

function shownValue(field: Field, value: unknown, display: Omit<DisplayOptions, 'budget'>): Html {
  if (value === undefined) return html`${NOTHING}`;
  // Items are shown by their number only.
  if (field.list) return html`${(value as unknown[]).length}`;
  return html`${showValue(field, value, { ...display, budget: new ByteBudget(MAX_VALUE_BYTES), mapSearchUrl: undefined })}`;
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

/** The DTO of a nested object that is compared field by field. */
function innerOf({ nested, list }: Field): DtoClass | undefined {
  const dto = list ? undefined : nested?.();
  return dto !== undefined && !hasOwnForm(dto) ? dto : undefined;
}
