import { type DtoClass, fieldsOf } from '../asset-types/fields.js';
import { Address, Classification, Custodian, Value } from '../asset-types/shared/parts.dto.js';

type JsonObject = Record<string, unknown>;

/** Searchable in every type. */
const ALWAYS_SEARCHABLE = new Set(['title', 'description']);

/** Parts that have more than searchable texts. */
const KINDS: readonly DtoClass[] = [Address, Classification, Custodian, Value];

/** The searchable values of an asset as the broker sent them. */
export interface SearchableFields {
  texts: string[];
  custodians: { scheme: string; code: string }[];
  regions: string[];
  classifications: { scheme: string; code: string }[];
  /** Without an amount if that was erased. */
  value: { currency: string; amount: number | undefined } | undefined;
}

/** Derived from the type, so a new type needs no code here. Walks the data rather than the DTO, because a DTO may contain itself. */
export function searchableFields(dto: DtoClass, data: JsonObject): SearchableFields {
  const found: SearchableFields = {
    texts: [],
    custodians: [],
    regions: [],
    classifications: [],
    value: valueOf(dto, data),
  };
  collect(dto, data, found);
  return found;
}

/** A line for each field that affects the index; if any line changes, the index is rebuilt. */
export function searchableSignature(dto: DtoClass, outer: readonly DtoClass[] = []): string[] {
  if (outer.includes(dto)) return [];
  return [...fieldsOf(dto)].flatMap(([name, { nested, searchable }]) => {
    if (nested === undefined) return isSearchable(name, searchable) ? [name] : [];
    const part = nested();
    const kinds = KINDS.filter((kind) => isKindOf(part, kind)).map((kind) => kind.name);
    const inner = searchableSignature(part, [...outer, dto]);
    return [`${name}=${kinds.join()}`, ...inner.map((line) => `${name}/${line}`)];
  });
}

function isSearchable(name: string, searchable: boolean | undefined): boolean {
  return searchable === true || ALWAYS_SEARCHABLE.has(name);
}

/** The value of the asset itself, not of its items. The field may be something else in a removed type, so its form is checked. */
function valueOf(dto: DtoClass, data: JsonObject): SearchableFields['value'] {
  for (const [name, { nested }] of fieldsOf(dto)) {
    if (nested === undefined || !isKindOf(nested(), Value) || !isObject(data[name])) continue;
    const { currency, amount } = data[name];
    if (isText(currency)) return { currency, amount: typeof amount === 'number' && amount >= 0 ? amount : undefined };
  }
  return undefined;
}

function collect(dto: DtoClass, data: JsonObject, found: SearchableFields): void {
  for (const [name, { nested, searchable }] of fieldsOf(dto)) {
    const values: unknown[] = Array.isArray(data[name]) ? data[name] : [data[name]];
    if (nested !== undefined) for (const value of values.filter(isObject)) collectPart(nested(), value, found);
    else if (isSearchable(name, searchable)) found.texts.push(...values.filter(isText));
  }
}

function collectPart(dto: DtoClass, data: JsonObject, found: SearchableFields): void {
  if (isKindOf(dto, Custodian)) {
    // The custodian's address and contact are not about the asset.
    const { scheme, id } = isObject(data['identifier']) ? data['identifier'] : {};
    found.texts.push(...[data['name']].filter(isText));
    found.custodians.push({ scheme: textOf(scheme), code: textOf(id) });
    return;
  }
  if (isKindOf(dto, Address)) found.regions.push(...[data['region']].filter(isText));
  if (isKindOf(dto, Classification))
    found.classifications.push({ scheme: textOf(data['scheme']), code: textOf(data['id']) });
  collect(dto, data, found);
}

function isKindOf(dto: DtoClass, shared: DtoClass): boolean {
  return dto === shared || dto.prototype instanceof shared;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function textOf(value: unknown): string {
  return isText(value) ? value : '';
}
