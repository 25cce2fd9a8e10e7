import { randomBytes } from 'node:crypto';
import { type FieldFault, printFields, readFields, withItemIds } from '../../asset-types/fields-json.js';
import type { AssetType } from '../../asset-types/asset-type.js';
import type { AssetTypes } from '../../asset-types/asset-types.js';
import { lifecycleOf } from '../../asset-types/lifecycle.js';
import { SERVICE_FIELDS } from '../../asset-types/service-fields.js';
import { secretDigest } from '../../auth/api-key.js';
import { ACCOUNT_NAME, ACCOUNT_NAME_RULE } from '../../auth/accounts.service.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { ASSET_ID, ID, itemIdsOf, LOT_ID } from '../../feed/asset-identifiers.js';
import { instantFault } from '../../platform/time/instant-fault.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';
import { MAX_ASSET_BYTES } from '../asset-change.js';
import { unknownStatus, unknownType } from '../refusals.js';

type JsonObject = Record<string, unknown>;

const ASSET_ID_RULE = 'A number such as UA-2017-08-16-000001 is required, of at most 40 characters and 9 digits';

/** Installed types and time zone. */
export interface ImportRules {
  types: AssetTypes;
  time: RegistryTime;
}

/**
 * Parses a state of an asset of another registry. Keeps its id, number, owner, status, dates and lot, and validates its fields by its type.
 * @returns the asset in version 1, or all its faults
 */
export function readImported(data: JsonObject, rules: ImportRules): { asset: Asset } | { faults: FieldFault[] } {
  const faults: FieldFault[] = [];
  const id = matching(data, 'id', ID, '32 lower-case hex characters are required', faults);
  const assetId = matching(data, 'assetID', ASSET_ID, ASSET_ID_RULE, faults);
  const owner = matching(data, 'owner', ACCOUNT_NAME, ACCOUNT_NAME_RULE, faults);
  const createdUs = instantOf(data, 'date', rules.time, faults);
  const modifiedUs = instantOf(data, 'dateModified', rules.time, faults);
  const type = rules.types.find(data['assetType']);
  if (type === undefined) return { faults: [...faults, unknownType(rules.types.installed)] };
  const { status, isListed } = stateOf(data, type, faults);
  const relatedLot = lotOf(data, type, status, faults);
  const body = bodyOf(data, type, { status, assetId }, faults);
  if (faults.length > 0) return { faults };
  const tokenDigest = secretDigest(randomBytes(16).toString('hex'));
  const dated = { version: 1, createdUs, modifiedUs, feedUs: isListed ? modifiedUs : null };
  return { asset: { id, assetId, assetType: type.name, status, owner, tokenDigest, relatedLot, body, ...dated } };
}

/** @returns the text; empty if faulty */
function matching(data: JsonObject, name: string, form: RegExp, rule: string, faults: FieldFault[]): string {
  const value = data[name];
  if (typeof value === 'string' && form.test(value)) return value;
  faults.push({ name, description: value === undefined ? `This field is required: ${rule}` : rule });
  return '';
}

/** @returns microseconds; -1 if faulty */
function instantOf(data: JsonObject, name: string, time: RegistryTime, faults: FieldFault[]): number {
  const value = data[name];
  const us = typeof value === 'string' ? time.parse(value) : undefined;
  if (us !== undefined) return us;
  const fault = typeof value === 'string' ? instantFault(value) : 'it is not a string';
  faults.push({
    name,
    description: value === undefined ? 'This field is required' : `An ISO 8601 date and time is required: ${fault}`,
  });
  return -1;
}

function stateOf(data: JsonObject, type: AssetType, faults: FieldFault[]): { status: string; isListed: boolean } {
  const lifecycle = lifecycleOf(type);
  const { status } = data;
  if (typeof status === 'string' && Object.hasOwn(lifecycle.states, status))
    return { status, isListed: lifecycle.states[status]?.listed === true };
  faults.push(unknownStatus(lifecycle));
  return { status: lifecycle.initial, isListed: false };
}

function lotOf(data: JsonObject, type: AssetType, status: string, faults: FieldFault[]): string | null {
  const { relatedLot = null } = data;
  const isLot = typeof relatedLot === 'string' && LOT_ID.test(relatedLot);
  if (relatedLot !== null && !isLot)
    faults.push({ name: 'relatedLot', description: '24 to 32 lower-case hex characters are required' });
  if (relatedLot === null && lifecycleOf(type).states[status]?.needsLot === true)
    faults.push({ name: 'relatedLot', description: `An asset in status ${status} is linked to a lot` });
  return isLot ? relatedLot : null;
}

/** @returns the type's fields as they are stored; empty if faulty */
function bodyOf(
  data: JsonObject,
  type: AssetType,
  { status, assetId }: Pick<Asset, 'status' | 'assetId'>,
  faults: FieldFault[],
): string {
  const read = readFields(type.dto, data, SERVICE_FIELDS);
  const together = read.faults.length > 0 ? [] : (type.check?.(read.fields, status) ?? []);
  if (read.faults.length + together.length > 0) {
    faults.push(...read.faults, ...together);
    return '';
  }
  const body = printFields(type.dto, withItemIds(type.dto, read.fields, itemIdsOf(assetId)));
  if (Buffer.byteLength(body) > MAX_ASSET_BYTES)
    faults.push({ name: 'data', description: `An asset may have at most ${MAX_ASSET_BYTES} bytes` });
  return body;
}
