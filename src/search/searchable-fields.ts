import { type DtoClass, fieldsOf } from '../asset-types/fields.js';
import { Address, Classification, Custodian, Value } from '../asset-types/shared/parts.dto.js';

type JsonObject = Record<string, unknown>;

/** Texts by which every asset is found that has them, whatever its type. */
const ALWAYS_SEARCHABLE = new Set(['title', 'description']);

/** Parts of an asset of which more is found than their own texts. */
const KINDS: readonly DtoClass[] = [Address, Classification, Custodian, Value];

/** What people look for in an asset, as it was sent. */
export interface SearchableFields {
  texts: string[];
  custodians: { scheme: string; code: string }[];
  regions: string[];
  classifications: { scheme: string; code: string }[];
  /** Without an amount where it was erased. */
  value: { currency: string; amount: number | undefined } | undefined;
}

/** Follows from the description of the type, so a new type needs no code here. Walks along the data, as a DTO may contain itself. */
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

/** What a description says of what is found, by a line for each field; another text of it is another index. */
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

/** Of the asset itself, and not of its items. A type that is not installed any more may have called something else so. */
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
    // Where a custodian sits, and who answers its telephone, says nothing of the asset.
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
