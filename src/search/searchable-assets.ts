import { Injectable } from '@nestjs/common';
import { type DtoClass, fieldsOf } from '../asset-types/fields.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { Address, Custodian } from '../asset-types/shared/parts.dto.js';
import type { ReadAsset } from '../database/asset-row.js';
import type { IndexedAsset } from '../database/search/indexed-asset.js';
import { codeToken, facetTokens, wordToken } from './tokens.js';
import { beginningsOf, fold, keyOf, MOST_CHARACTERS, piecesIn, wordsIn } from './words.js';

/*
 * What an asset may cost, whatever a broker sends: so much of it is found, and nothing beyond. A change of these, as of words.ts, asks for
 * another LAYOUT of the index.
 */
/** The longest title of the types that are installed; UTF-16 units. */
const MOST_IN_TITLE = 2_000;
/** Different regions, and as many codes. */
const MOST_NAMES = 50;

type JsonObject = Record<string, unknown>;

/** What people call an asset by, as it was sent. */
interface Found {
  title: string;
  /** Of custodians. */
  codes: string[];
  regions: string[];
}

/** What of an asset is found: it follows from the description of its type, so a new type needs no code here. */
@Injectable()
export class SearchableAssets {
  constructor(private readonly types: AssetTypes) {}

  /** The same as long as the installed types are: an index that was made with others is made anew. */
  get version(): string {
    return this.types.installed.map(({ name, aliases = [] }) => [name, ...aliases].join('=')).join(' ');
  }

  /** @param asset with its body in `latin1` */
  indexed(asset: ReadAsset): IndexedAsset {
    const { title, codes, regions } = this.look(asset);
    // Two that differ in case only are one region; it has the name that came first.
    const named = firstOf(regions).map(
      (name) => [keyFrom(name), name.slice(0, MOST_CHARACTERS).toWellFormed()] as const,
    );
    const names = new Map(named.filter(([key]) => key !== ''));
    const tokens = new Set<string>();
    for (const word of wordsIn(fold(title, MOST_IN_TITLE)))
      for (const beginning of beginningsOf(word)) tokens.add(wordToken(beginning));
    for (const code of [asset.id, ...partsOf(asset.assetId)]) tokens.add(codeToken(nameKey(code)));
    for (const code of firstOf(codes)) for (const piece of piecesIn(fold(code))) tokens.add(codeToken(keyOf(piece)));
    const typeKey = nameKey(this.typeName(asset.assetType));
    for (const token of facetTokens(nameKey(asset.status), typeKey, [...names.keys()])) tokens.add(token);
    return {
      id: asset.id,
      modifiedUs: asset.modifiedUs,
      tokens: [...tokens].join(' '),
      regions: [...names].map(([key, name]) => ({ key, name })),
    };
  }

  /** An asset may be stored under a name that its type had before. */
  typeName(name: string): string {
    return this.types.find(name)?.name ?? name;
  }

  private look({ assetType, body }: ReadAsset): Found {
    const found: Found = { title: '', codes: [], regions: [] };
    const type = this.types.find(assetType);
    if (type === undefined) return found;
    const fields = JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as JsonObject;
    if (typeof fields['title'] === 'string') found.title = fields['title'];
    collect(type.dto, fields, found);
    return found;
  }
}

/** Walks along the data, which ends even where a DTO is found again within itself. */
function collect(dto: DtoClass, data: JsonObject, found: Found): void {
  for (const [name, { nested }] of fieldsOf(dto)) {
    if (nested === undefined) continue;
    const inner = nested();
    for (const value of [data[name]].flat().filter(isObject)) {
      if (isKindOf(inner, Custodian)) found.codes.push(...codesOf(value['identifier'] as JsonObject));
      else if (isKindOf(inner, Address)) found.regions.push(...[value['region']].filter(isText));
      else collect(inner, value, found);
    }
  }
}

/** Of a custodian, with the scheme, which stands before it where people copy it from. */
function codesOf({ scheme, id }: JsonObject): string[] {
  return [scheme, id].filter(isText);
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

function firstOf(names: readonly string[]): string[] {
  return [...new Set(names)].slice(0, MOST_NAMES);
}

function keyFrom(text: string): string {
  return keyOf(fold(text));
}

/** The same as keyFrom for what the registry names itself: letters, digits and hyphens of ASCII, which need no folding. */
function nameKey(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

/** An assetID whole, and its day, month and year: `UA-2026-11-21-000001`, `UA-2026-11-21`, `UA-2026-11`, `UA-2026`. */
function partsOf(assetId: string): string[] {
  const parts = assetId.split('-');
  return parts.map((_, i) => parts.slice(0, i + 1).join('-')).slice(1);
}
