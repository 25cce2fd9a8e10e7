import { pointerParts } from '#tlog';
import type { AssetType } from '../asset-types/asset-type.js';
import { type FieldFault, type MayOmit, printFields, readFields, withItemIds } from '../asset-types/fields-json.js';
import { type Actor, type Lifecycle, lifecycleOf, mayWrite, type Move, type State } from '../asset-types/lifecycle.js';
import { prepare } from '../asset-types/prepared-dto.js';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { assetTooLarge, fieldsInvalid, fieldsNotWritable } from '../platform/errors/errors.js';
import type { DecidedAsset } from '../feed/writing/operation.js';
import { LOT_ID, newId } from '../feed/asset-identifiers.js';
import { isSame, memberOf, redactedOf, withRedacted } from '../feed/reading/asset-view.js';
import { mergePatch } from './merge-patch.js';
import { refusedChange, unknownStatus } from './refusals.js';

type JsonObject = Record<string, unknown>;

/**
 * The largest BODY_LIMIT of a POST. Without a bound, a list that grows with every PATCH would exceed the statement size of the database and
 * every page of the feed.
 */
export const MAX_ASSET_BYTES = 1024 * 1024;

/** A PATCH of the current asset. */
interface Change {
  current: Asset;
  /** The asset as a GET answers it, because a client may send that back. */
  shown: JsonObject;
  patch: JsonObject;
  actor: Actor;
  type: AssetType;
  /** Called if the patch is refused: explains that it is an older state of the asset, if so. */
  staleness?: () => string | undefined;
}

/**
 * Merges a patch into an asset by the states and moves of its type. Pure. Source: contract sections 2 and 5.
 * @param newItemId makes the id of an item without one
 * @returns the changed asset; undefined if the patch changes nothing
 * @throws ApiError 403 for the state, the move or a field, then 422 for every faulty field
 */
export function changeAsset(change: Change, newItemId = newId): DecidedAsset | undefined {
  const { current, shown, patch, type } = change;
  const lifecycle = lifecycleOf(type);
  const requested = mergePatch(shown, patch, type.dto, SERVICE_FIELDS);
  const requestedNames = changedNames(Object.keys(patch), shown, requested);
  checkState(lifecycle, change, requestedNames.length > 0);
  if (requestedNames.length === 0) return undefined;
  const move = moveOf(lifecycle, requested['status'], change);
  checkWritable(requestedNames, change);

  const effect = move === undefined ? {} : effectOf(move, requested, type);
  const merged = mergePatch(requested, effect, type.dto, SERVICE_FIELDS);
  const status = merged['status'] as string;
  const valid = readValid(type, merged, current.status);
  const fields = withItemIds(type.dto, valid, newItemId);
  const text = checkSize(printFields(type.dto, fields));
  const body = withRedacted(text, redactedOf(shown));
  const relatedLot = (merged['relatedLot'] as string | undefined) ?? null;
  const isUnchanged = status === current.status && relatedLot === current.relatedLot && body === current.body;
  if (isUnchanged) return undefined;
  const { id, assetType, owner, tokenDigest } = current;
  const listed = lifecycle.states[status]?.listed === true;
  const effectNames = Object.keys(effect).filter((name) => !requestedNames.includes(name));
  // Compares what is stored, not what was sent, because a sent value may print as the old one, such as null for a field with a default.
  // Values made by a team's code may print differently, or be no JSON at all, so they are parsed from the printed text.
  const isAsPrinted = move?.effect === undefined && prepare(type.dto).isPlain;
  const stored = isAsPrinted ? fields : (JSON.parse(text) as JsonObject);
  const changed = changedNames([...requestedNames, ...effectNames], shown, { ...merged, ...stored });
  return { id, assetType, owner, tokenDigest, status, relatedLot, body, listed, changed };
}

/**
 * Runs the effect of a move, on valid fields only.
 * @returns the changes to make in addition to the requested ones
 * @throws ApiError 422 for every faulty field @throws Error if the effect changes a field that is not the type's
 */
function effectOf(move: Move, requested: JsonObject, type: AssetType): JsonObject {
  if (move.effect === undefined) return {};
  const read = readFields(type.dto, requested, SERVICE_FIELDS, erasedFrom(requested));
  const faults = [...lotFaults(requested['relatedLot']), ...read.faults];
  if (faults.length > 0) throw fieldsInvalid(faults);
  const changes = move.effect(requested);
  const typeFields = prepare(type.dto).byName;
  const foreign = Object.keys(changes).filter((name) => name !== 'relatedLot' && !typeFields.has(name));
  if (foreign.length === 0) return changes;
  const source = `the effect of its move from ${move.from} to ${move.to}`;
  throw new Error(`Asset type ${type.name}: ${source} changes ${foreign.join(', ')}`);
}

/** @returns the names of members whose JSON values differ */
function changedNames(names: readonly string[], before: JsonObject, after: JsonObject): string[] {
  return names.filter((name) => !isSame(memberOf(before, name), memberOf(after, name)));
}

/**
 * Reads the type's fields of an asset.
 * @param before its present status, by which the fields are checked if the requested one does not exist
 * @throws ApiError 422 for every faulty field
 */
function readValid(type: AssetType, asset: JsonObject, before: string): object {
  const lifecycle = lifecycleOf(type);
  const status = stateOf(lifecycle, asset['status']) === undefined ? before : (asset['status'] as string);
  const { fields, faults } = readFields(type.dto, asset, SERVICE_FIELDS, erasedFrom(asset));
  const together = faults.length > 0 ? [] : checkTogether(type, asset, fields, status);
  const allFaults = [...statusFaults(lifecycle, asset), ...faults, ...together];
  if (allFaults.length > 0) throw fieldsInvalid(allFaults);
  return fields;
}

/** The type's `check` may throw for an asset whose required field was erased. */
function checkTogether(type: AssetType, asset: JsonObject, fields: object, status: string): FieldFault[] {
  try {
    return type.check?.(fields, status) ?? [];
  } catch (error) {
    if (redactedOf(asset).length === 0) throw error;
    return [];
  }
}

/** An erased field may be missing even if it is required. An item may be at another index meanwhile. */
function erasedFrom(asset: JsonObject): MayOmit {
  const namesOf = (parts: readonly string[]): string =>
    parts.map((part) => (/^\d+$/.test(part) ? '*' : part)).join('.');
  const erased = new Set(redactedOf(asset).map(({ pointer }) => namesOf(pointerParts(pointer))));
  return (name) => erased.size > 0 && erased.has(namesOf(name.split('.')));
}

function stateOf(lifecycle: Lifecycle, status: unknown): State | undefined {
  return typeof status === 'string' && Object.hasOwn(lifecycle.states, status) ? lifecycle.states[status] : undefined;
}

function checkState(lifecycle: Lifecycle, { current: { status }, actor, staleness }: Change, changes: boolean): void {
  const editors = lifecycle.states[status]?.editors ?? {};
  const isFinal = Object.keys(editors).length === 0;
  if (isFinal || (changes && actor !== 'administrator' && editors[actor] === undefined))
    throw refusedChange(lifecycle, status, actor, staleness?.());
}

/**
 * @returns the requested move; undefined if the status stays, or does not exist, which is a faulty field
 * @throws ApiError 403 if the type has no such move, or not for this actor
 */
function moveOf(lifecycle: Lifecycle, to: unknown, { current, actor, staleness }: Change): Move | undefined {
  const { status: from } = current;
  if (to === from || stateOf(lifecycle, to) === undefined) return undefined;
  const move = lifecycle.moves.find((candidate) => candidate.from === from && candidate.to === to);
  if (move === undefined || (actor !== 'administrator' && move.by !== actor))
    throw refusedChange(lifecycle, from, actor, staleness?.());
  return move;
}

function checkWritable(names: readonly string[], { actor, type, current, staleness }: Change): void {
  const typeFields = prepare(type.dto).byName;
  const state = lifecycleOf(type).states[current.status] as State;
  const known = (name: string): boolean => typeFields.has(name) || SERVICE_FIELDS.has(name);
  const writable = (name: string): boolean => name === 'status' || mayWrite(state, actor, name, typeFields);
  const refused = names.filter((name) => known(name) && !writable(name));
  if (refused.length > 0) throw fieldsNotWritable(refused, staleness?.());
}

function statusFaults(lifecycle: Lifecycle, merged: JsonObject): FieldFault[] {
  const { status, relatedLot } = merged;
  const state = stateOf(lifecycle, status);
  const faults: FieldFault[] = [];
  if (state === undefined) faults.push(unknownStatus(lifecycle));
  if (relatedLot === undefined && state?.needsLot)
    faults.push({ name: 'relatedLot', description: `An asset in status ${String(status)} is linked to a lot` });
  return [...faults, ...lotFaults(relatedLot)];
}

function lotFaults(lot: unknown): FieldFault[] {
  const isLot = lot === undefined || (typeof lot === 'string' && LOT_ID.test(lot));
  return isLot ? [] : [{ name: 'relatedLot', description: '24 to 32 lower-case hex characters are required' }];
}

/**
 * Bounds the size of an asset.
 * @param body the JSON text of its fields
 * @returns the same text
 * @throws ApiError 422 if it exceeds 1 MiB in UTF-8
 */
export function checkSize(body: string): string {
  // A UTF-16 unit takes at most three bytes, so most texts need not be counted.
  if (body.length * 3 > MAX_ASSET_BYTES && Buffer.byteLength(body) > MAX_ASSET_BYTES) throw assetTooLarge();
  return body;
}
