import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { BasicAsset } from '../asset-types/basic/basic.dto.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { IndexedAsset, Region } from '../database/search/indexed-asset.js';
import { redactedOf } from '../feed/reading/asset-view.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { truncate } from '../platform/text/truncate.js';
import { searchableSignature, type SearchableFields, searchableFields } from './searchable-fields.js';
import { regionKey, regionName } from './region-key.js';
import {
  classificationTokens,
  codeToken,
  currencyToken,
  custodianToken,
  lotToken,
  nameKey,
  ownerToken,
  regionToken,
  statusToken,
  typeToken,
  wordToken,
} from './tokens.js';
import { prefixesOf, fold, alphanumericOf, MAX_CHARACTERS, piecesIn, runsIn } from './words.js';

/*
 * Bounds of what one asset may cost the index; anything beyond them is not searchable. Changing these bounds, or words.ts, requires another
 * LAYOUT of the index.
 */

/** Indexed part of each text in UTF-16 units, enough for any title of the built-in types. */
const MAX_TEXT_LENGTH = 2_000;
/** Indexed part of all texts of an asset, in UTF-16 units. */
const MAX_TOTAL_LENGTH = 8_000;
/** Maximum different runs of an asset (words.ts). */
const MAX_WORDS = 500;
/** An assetID: prefix, day with number, suffix of a server. */
const ASSET_ID_PARTS = /^(.*-)(\d{4}-\d{2}-\d{2}-\d+)(-[A-Za-z0-9]+)?$/;
/** Maximum different regions of an asset, custodians, and classifications. */
const MAX_NAMES = 50;

/** Computes the index entry of an asset. */
@Injectable()
export class SearchableAssets {
  constructor(
    private readonly types: AssetTypes,
    private readonly time: RegistryTime,
  ) {}

  /** Depends on the time zone and on the installed types' names and searchable fields; an index of another version is rebuilt. */
  get version(): string {
    const { installed } = this.types;
    const types = installed.map(({ name, aliases = [] }) => [name, ...aliases].join('='));
    const found = installed.flatMap(({ dto }) => searchableSignature(dto));
    return [this.time.timeZone, ...types, hash('sha256', found.join('\n'))].join(' ');
  }

  indexed(asset: ReadAsset): IndexedAsset {
    const data = JSON.parse(asset.body.toString()) as Record<string, unknown>;
    const found = this.searchableFieldsOf(asset, data);
    const regions = regionsOf(found);
    const { id, modifiedUs, createdUs, status } = asset;
    const assetType = this.typeName(asset.assetType);
    const { currency = '', amount } = found.value ?? {};
    const choices = choiceTokens(asset, assetType, found, regions);
    return {
      id,
      modifiedUs,
      createdDay: this.time.day(createdUs),
      changedDay: this.time.day(modifiedUs),
      status,
      assetType,
      regions,
      value: amount === undefined ? undefined : { currency, amount },
      terms: [...wordTokens(found), ...codeTokens(asset, found), ...choices].join(' '),
      erasedUs: this.time.parse(redactedOf(data).at(-1)?.at ?? '') ?? 0,
    };
  }

  /** The current name of a type: an asset may be stored under an earlier one. */
  typeName(name: string): string {
    return this.types.find(name)?.name ?? name;
  }

  /** Reads assets of a removed type as basic ones, because most types share those fields. */
  private searchableFieldsOf({ assetType }: ReadAsset, data: Record<string, unknown>): SearchableFields {
    const dto = this.types.find(assetType)?.dto ?? BasicAsset;
    return searchableFields(dto, data);
  }
}

function wordTokens({ texts }: SearchableFields): Set<string> {
  const tokens = new Set<string>();
  const runs = new Set<string>();
  let remaining = MAX_TOTAL_LENGTH;
  for (const text of texts) {
    const max = Math.min(remaining, MAX_TEXT_LENGTH);
    if (max === 0) break;
    remaining -= Math.min(text.length, max);
    for (const run of runsIn(fold(text, max))) if (runs.size < MAX_WORDS) runs.add(run);
  }
  for (const run of runs) for (const prefix of prefixesOf(run)) tokens.add(wordToken(prefix));
  return tokens;
}

/** Includes schemes, because people copy codes with them, and the last digits of assetIDs. */
function codeTokens({ id, assetId }: ReadAsset, { custodians, classifications }: SearchableFields): Set<string> {
  const tokens = new Set([id, ...codesOfAssetId(assetId)].map((code) => codeToken(nameKey(code))));
  const codes = [...custodians, ...classifications].flatMap(({ scheme, code }) => [scheme, code]);
  for (const code of firstDistinct(codes, 2 * MAX_NAMES))
    for (const piece of piecesIn(fold(code))) tokens.add(codeToken(alphanumericOf(piece)));
  return tokens;
}

function choiceTokens(
  asset: ReadAsset,
  assetType: string,
  found: SearchableFields,
  regions: readonly Region[],
): Set<string> {
  const { status, owner, relatedLot } = asset;
  const tokens = new Set([statusToken(status), typeToken(assetType), ownerToken(owner)]);
  for (const { key } of regions) tokens.add(regionToken(key));
  if (relatedLot !== null) tokens.add(lotToken(relatedLot));
  if (found.value !== undefined) tokens.add(currencyToken(found.value.currency));
  for (const { code } of found.custodians.slice(0, MAX_NAMES)) tokens.add(custodianToken(code));
  for (const { scheme, code } of found.classifications.slice(0, MAX_NAMES))
    for (const token of classificationTokens(scheme, code)) tokens.add(token);
  return tokens;
}

/** Spellings of one region count once. */
function regionsOf({ regions }: SearchableFields): Region[] {
  const names = new Map<string, string>();
  for (const name of firstDistinct(regions, MAX_NAMES)) {
    const key = regionKey(name);
    if (key !== '' && !names.has(key)) names.set(key, regionName(truncate(name, MAX_CHARACTERS)));
  }
  return [...names].map(([key, name]) => ({ key, name }));
}

function firstDistinct(names: readonly string[], max: number): string[] {
  return [...new Set(names)].slice(0, max);
}

/** The parts by which an assetID is found: whole, up to its year, month or day, each with and without prefix, and its last digits. */
function codesOfAssetId(assetId: string): string[] {
  const [, prefix = '', number = assetId, suffix = ''] = ASSET_ID_PARTS.exec(assetId) ?? [];
  const day = number.split('-');
  const dates = day.map((_, i) => day.slice(0, i + 1).join('-'));
  const whole = suffix === '' ? [] : [number + suffix, assetId];
  return [...dates, ...dates.map((date) => prefix + date), day.at(-1) ?? '', ...whole];
}
