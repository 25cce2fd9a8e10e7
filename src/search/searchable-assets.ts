import { Injectable } from '@nestjs/common';
import { type DtoClass, fieldsOf } from '../asset-types/fields.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { Address, Custodian } from '../asset-types/shared/parts.dto.js';
import type { ReadAsset } from '../database/asset-row.js';
import type { IndexedAsset } from '../database/search/indexed-asset.js';
import { codeToken, facetTokens, wordToken } from './tokens.js';
import { beginningsOf, fold, keyOf, MOST_CHARACTERS, piecesIn, wordsIn } from './words.js';

/*
 * Bounds of what one asset may cost the index, whatever a broker sends. What is beyond them is not found. Whoever changes these bounds, or
 * words.ts, must change the LAYOUT of the index.
 */
/** The longest title of the built-in types, in UTF-16 units. */
const MOST_IN_TITLE = 2_000;
/** How many different regions of an asset are indexed, and how many codes. */
const MOST_NAMES = 50;

type JsonObject = Record<string, unknown>;

/** What people look for in an asset, as it was sent. */
interface Found {
  title: string;
  /** Codes of custodians. */
  codes: string[];
  regions: string[];
}

/** Finds out what of an asset is indexed. It follows from the description of its type, so a new type needs no code here. */
@Injectable()
export class SearchableAssets {
  constructor(private readonly types: AssetTypes) {}

  /** Changes with the installed types: an index that was made with others is rebuilt. */
  get version(): string {
    return this.types.installed.map(({ name, aliases = [] }) => [name, ...aliases].join('=')).join(' ');
  }

  indexed(asset: ReadAsset): IndexedAsset {
    const { title, codes, regions } = this.look(asset);
    // Names that differ in case only are one region, with the name that came first.
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

  /** The current name of a type: an asset may be stored under an earlier one. */
  typeName(name: string): string {
    return this.types.find(name)?.name ?? name;
  }

  private look({ assetType, body }: ReadAsset): Found {
    const found: Found = { title: '', codes: [], regions: [] };
    const type = this.types.find(assetType);
    if (type === undefined) return found;
    const fields = JSON.parse(body.toString()) as JsonObject;
    if (typeof fields['title'] === 'string') found.title = fields['title'];
    collect(type.dto, fields, found);
    return found;
  }
}

/** Walks along the data and not along the types, as a DTO may contain itself. */
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

/** The code of a custodian and its scheme: people copy both together. */
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

/** As keyFrom, for the registry's own names: they are ASCII letters, digits and hyphens, and need no folding. */
function nameKey(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

/** An assetID whole, and its day, month and year: `UA-2026-11-21-000001`, `UA-2026-11-21`, `UA-2026-11`, `UA-2026`. */
function partsOf(assetId: string): string[] {
  const parts = assetId.split('-');
  return parts.map((_, i) => parts.slice(0, i + 1).join('-')).slice(1);
}
