import { isSame } from '../feed/reading/asset-view.js';
import type { DtoClass, Field } from '../asset-types/fields.js';
import { fieldsOf } from '../asset-types/fields.js';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import type { AssetHistory, HistoryEntry } from '../feed/reading/asset-history.js';
import type { AssetViewModel, JsonObject } from './asset-view-model.js';
import { type Html, html } from './html.js';
import type { Language } from './language.js';
import { ByteBudget } from './byte-budget.js';
import type { DisplayOptions } from './display-options.js';
import { hasOwnForm, showValue } from './shown-values.js';
import { TEXTS } from './texts.js';

/** Changes of which values are read; of the others the names of the fields are told. */
const MAX_CHANGES = 10;
/** Bytes of what is read for them: of a large asset fewer changes are told with values. */
const MAX_BYTES_READ = 256 * 1024;
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

/** What is read for the values of changes. */
interface ReadsOfChanges {
  history: readonly HistoryEntry[];
  /** Places in the history that are shown, the newest first. */
  places: readonly number[];
}

/**
 * The fields before and after the newest of the shown changes, by their place in the history. Neighbours share a read.
 * @param page of the asset as it is now @throws ApiError 503
 */
export async function readChanges(
  { asset, values }: Pick<AssetViewModel, 'asset' | 'values'>,
  { history, places }: ReadsOfChanges,
  histories: Pick<AssetHistory, 'at'>,
): Promise<Map<number, BeforeAndAfter>> {
  const changes = new Map<number, BeforeAndAfter>();
  const known = new Map<number, JsonObject>();
  let bytes = 0;
  const stateAt = async (place: number): Promise<JsonObject> => {
    const { modifiedUs } = history[place] as HistoryEntry;
    const state = known.get(place);
    if (state !== undefined) return state;
    if (modifiedUs === asset.modifiedUs) return values;
    const { body } = await histories.at(asset.id, modifiedUs);
    bytes += body.length;
    const read = JSON.parse(body.toString()) as JsonObject;
    known.set(place, read);
    return read;
  };
  for (const place of places.filter((one) => tellsOfFields(history, one)).slice(0, MAX_CHANGES)) {
    if (bytes > MAX_BYTES_READ) break;
    changes.set(place, { after: await stateAt(place), before: await stateAt(place + 1) });
  }
  return changes;
}

/** Whether the broker's fields were changed, and what they were before is public. */
function tellsOfFields(history: readonly HistoryEntry[], place: number): boolean {
  const own = history[place]?.changed?.some((name) => !SERVICE_FIELDS.has(name));
  return own === true && history[place + 1] !== undefined;
}

/** From what to what each field was changed: `Value › Amount: 1 → 2`. */
export function showChanges(
  fields: ReadonlyMap<string, Field>,
  { before, after }: BeforeAndAfter,
  display: Omit<DisplayOptions, 'budget'>,
): Html[] {
  return leafChanges(fields, before, after, '', display.language).map(({ label, field, from, to }) => {
    const values = fromDifference(from, to).map((value) => shownValue(field, value, display)) as [Html, Html];
    // What differs is not seen here: one of the items, or too far on in a text.
    const areAlike = values[0].text === values[1].text;
    return areAlike ? showName(label, display.language) : showChange(label, values);
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
