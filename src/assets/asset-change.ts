import { pointerParts } from '#tlog';
import type { AssetType } from '../asset-types/asset-type.js';
import { type FieldFault, type MayLack, printFields, readFields, withItemIds } from '../asset-types/fields-json.js';
import { type Actor, type Lifecycle, lifecycleOf, mayWrite, type Move, type State } from '../asset-types/lifecycle.js';
import { prepare } from '../asset-types/prepared-dto.js';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { assetTooLarge, fieldsInvalid, fieldsNotWritable } from '../platform/errors/errors.js';
import type { DraftedAsset } from '../feed/writing/operation.js';
import { LOT_ID, newId } from '../feed/asset-identifiers.js';
import { isSame, memberOf, redactedOf, withRedacted } from '../feed/reading/asset-view.js';
import { mergePatch } from './merge-patch.js';
import { refusedChange, unknownStatus } from './refusals.js';

type JsonObject = Record<string, unknown>;

/**
 * As much as BODY_LIMIT may allow for a body of POST. A list grows with every PATCH: without a bound an asset would
 * outgrow the database's statements and every page that it is on.
 */
export const MAX_BYTES = 1024 * 1024;

/** A PATCH against the asset as it stands now. */
interface Change {
  current: Asset;
  /** The asset as clients see it: a client may send back what it read. */
  shown: JsonObject;
  patch: JsonObject;
  actor: Actor;
  type: AssetType;
  /** Asked where the patch is refused: says that it is an older state of the asset, where it is one. */
  staleness?: () => string | undefined;
}

/**
 * Merges a patch into an asset, by the states and moves of its type. Pure. Source: contract sections 2 and 5.
 * @param newItemId gives its id to an item that comes without one
 * @returns the changed asset, or undefined when the patch changes nothing
 * @throws ApiError 403 for the state, the move or a field, then 422 for every faulty field
 */
export function changeAsset(change: Change, newItemId = newId): DraftedAsset | undefined {
  const { current, shown, patch, type } = change;
  const lifecycle = lifecycleOf(type);
  const asked = mergePatch(shown, patch, type.dto, SERVICE_FIELDS);
  const wanted = differing(Object.keys(patch), shown, asked);
  checkState(lifecycle, change, wanted.length > 0);
  if (wanted.length === 0) return undefined;
  const move = moveOf(lifecycle, asked['status'], change);
  checkWritable(wanted, change);

  const effect = move === undefined ? {} : effectOf(move, asked, type);
  const merged = mergePatch(asked, effect, type.dto, SERVICE_FIELDS);
  const status = merged['status'] as string;
  const sound = readSound(type, merged, current.status);
  const fields = withItemIds(type.dto, sound, newItemId);
  const own = checkSize(printFields(type.dto, fields));
  const body = withRedacted(own, redactedOf(shown));
  const relatedLot = (merged['relatedLot'] as string | undefined) ?? null;
  const same = status === current.status && relatedLot === current.relatedLot && body === current.body;
  if (same) return undefined;
  const { id, assetType, owner, tokenDigest } = current;
  const listed = lifecycle.states[status]?.listed === true;
  const others = Object.keys(effect).filter((name) => !wanted.includes(name));
  // What was sent may be printed as it was: an omitted value that has a default.
  // And what a team's own code makes of a field may be printed otherwise than it is, or be no JSON at all.
  const isAsPrinted = move?.effect === undefined && prepare(type.dto).isPlain;
  const kept = isAsPrinted ? fields : (JSON.parse(own) as JsonObject);
  const changed = differing([...wanted, ...others], shown, { ...merged, ...kept });
  return { id, assetType, owner, tokenDigest, status, relatedLot, body, listed, changed };
}

/**
 * What a move changes beside what was asked for. Only sound fields are shown to it.
 * @throws ApiError 422 for every faulty field @throws Error when it would change what is not the type's to change
 */
function effectOf(move: Move, asked: JsonObject, type: AssetType): JsonObject {
  if (move.effect === undefined) return {};
  const read = readFields(type.dto, asked, SERVICE_FIELDS, erasedFrom(asked));
  const faults = [...lotFaults(asked['relatedLot']), ...read.faults];
  if (faults.length > 0) throw fieldsInvalid(faults);
  const changes = move.effect(asked);
  const own = prepare(type.dto).byName;
  const others = Object.keys(changes).filter((name) => name !== 'relatedLot' && !own.has(name));
  if (others.length === 0) return changes;
  const told = `the effect of its move from ${move.from} to ${move.to}`;
  throw new Error(`Asset type ${type.name}: ${told} changes ${others.join(', ')}`);
}

/** Those of the members that are not the same, as JSON has them. */
function differing(names: readonly string[], before: JsonObject, after: JsonObject): string[] {
  return names.filter((name) => !isSame(memberOf(before, name), memberOf(after, name)));
}

/**
 * The type's fields of an asset.
 * @param before the status that it has, and keeps where there is no such one as it would have
 * @throws ApiError 422 for every faulty field
 */
function readSound(type: AssetType, asset: JsonObject, before: string): object {
  const lifecycle = lifecycleOf(type);
  const status = stateOf(lifecycle, asset['status']) === undefined ? before : (asset['status'] as string);
  const { fields, faults } = readFields(type.dto, asset, SERVICE_FIELDS, erasedFrom(asset));
  const together = faults.length > 0 ? [] : checkTogether(type, asset, fields, status);
  const all = [...statusFaults(lifecycle, asset), ...faults, ...together];
  if (all.length > 0) throw fieldsInvalid(all);
  return fields;
}

/** The type's rule over several fields may not know what to make of an asset that lacks a required one. */
function checkTogether(type: AssetType, asset: JsonObject, fields: object, status: string): FieldFault[] {
  try {
    return type.check?.(fields, status) ?? [];
  } catch (error) {
    if (redactedOf(asset).length === 0) throw error;
    return [];
  }
}

/** What was erased may be missing, whether it is required or not. An item may stand at another place meanwhile. */
function erasedFrom(asset: JsonObject): MayLack {
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
 * The move that an asset would make; undefined where it makes none, as a status that the type does not have is no move but a faulty field.
 * @throws ApiError 403 when there is no such move, or not for this actor
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
  const own = prepare(type.dto).byName;
  const state = lifecycleOf(type).states[current.status] as State;
  const known = (name: string): boolean => own.has(name) || SERVICE_FIELDS.has(name);
  const writable = (name: string): boolean => name === 'status' || mayWrite(state, actor, name, own);
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
 * @param body the JSON text of an asset's own fields
 * @returns the same
 * @throws ApiError 422 for one of more than 1 MiB in UTF-8
 */
export function checkSize(body: string): string {
  // No unit of a string takes more than three bytes, so most texts need no count.
  if (body.length * 3 > MAX_BYTES && Buffer.byteLength(body) > MAX_BYTES) throw assetTooLarge();
  return body;
}
