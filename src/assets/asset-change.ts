import { isDeepStrictEqual } from 'node:util';
import { type AssetType } from '../asset-types/asset-type.js';
import { lifecycleOf, SERVICE_FIELDS } from '../asset-types/asset-types.js';
import { fieldsOf } from '../asset-types/fields.js';
import type { Actor, Lifecycle } from '../asset-types/lifecycle.js';
import { printFields } from '../asset-types/print-fields.js';
import { type FieldFault, findRogueFields, readFields } from '../asset-types/read-fields.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { changeRefused, fieldsInvalid, fieldsNotWritable } from '../errors/errors.js';
import type { DraftedAsset } from '../ledger/operation.js';
import { ID } from './identifiers.js';
import { mergePatch } from './merge-patch.js';

type JsonObject = Record<string, unknown>;

/** A PATCH against the asset as it stands now. */
export interface Change {
  current: Asset;
  /** The asset as clients see it: a client may send back what it read. */
  shown: JsonObject;
  patch: JsonObject;
  actor: Actor;
  type: AssetType;
}

/**
 * Merges a patch into an asset, by the states and moves of its type. Pure. Source: contract sections 2 and 5.
 * @returns the changed asset, or undefined when the patch changes nothing
 * @throws ApiError 403 for the state, the move or a field, then 422 for every faulty field
 */
export function changeAsset(change: Change): DraftedAsset | undefined {
  const { current, shown, patch, actor, type } = change;
  const lifecycle = lifecycleOf(type);
  const merged = mergePatch(shown, patch);
  const changed = Object.keys(patch).filter((key) => !isDeepStrictEqual(shown[key], merged[key]));
  const rogue = findRogueFields(type.dto, patch, SERVICE_FIELDS);
  checkState(lifecycle, current.status, actor, changed.length + rogue.length > 0);
  if (changed.length + rogue.length === 0) return undefined;
  checkMove(lifecycle, current.status, merged['status'], actor);
  checkWritable(changed, actor, type);

  const { fields, faults } = readFields(type.dto, merged, SERVICE_FIELDS);
  const all = [
    ...statusFaults(lifecycle, merged),
    ...rogue,
    ...faults.filter(({ name }) => !rogue.some((fault) => fault.name === name)),
  ];
  if (all.length > 0) throw fieldsInvalid(all);

  const status = merged['status'] as string;
  const relatedLot = (merged['relatedLot'] as string | undefined) ?? null;
  const body = printFields(type.dto, fields);
  const same = status === current.status && relatedLot === current.relatedLot && body === current.body;
  if (same) return undefined;
  const { id, assetType, owner, tokenDigest } = current;
  return {
    id,
    assetType,
    owner,
    tokenDigest,
    status,
    relatedLot,
    body,
    listed: lifecycle.states[status]?.listed === true,
    changed,
  };
}

function checkState(lifecycle: Lifecycle, status: string, actor: Actor, changes: boolean): void {
  const editors = lifecycle.states[status]?.editors ?? [];
  if (editors.length === 0) throw changeRefused(status);
  if (changes && actor !== 'administrator' && !editors.includes(actor)) throw changeRefused(status);
}

/** A status that the type does not have is no move but a faulty field. */
function checkMove(lifecycle: Lifecycle, from: string, to: unknown, actor: Actor): void {
  if (to === from || typeof to !== 'string' || !Object.hasOwn(lifecycle.states, to)) return;
  const move = lifecycle.moves.find((candidate) => candidate.from === from && candidate.to === to);
  if (move === undefined || (actor !== 'administrator' && move.by !== actor)) throw changeRefused(from);
}

function checkWritable(changed: readonly string[], actor: Actor, type: AssetType): void {
  const brokers = fieldsOf(type.dto);
  const writable = (name: string): boolean =>
    name === 'status' || (actor === 'owner' ? brokers.has(name) : name === 'relatedLot');
  const known = (name: string): boolean => brokers.has(name) || SERVICE_FIELDS.has(name);
  const refused = changed.filter((name) => known(name) && !writable(name));
  if (refused.length > 0) throw fieldsNotWritable(refused);
}

function statusFaults(lifecycle: Lifecycle, merged: JsonObject): FieldFault[] {
  const { status, relatedLot } = merged;
  const state =
    typeof status === 'string' && Object.hasOwn(lifecycle.states, status) ? lifecycle.states[status] : undefined;
  const faults: FieldFault[] = [];
  if (state === undefined) faults.push({ name: 'status', description: 'There is no such status' });
  if (relatedLot === undefined) {
    if (state?.needsLot)
      faults.push({ name: 'relatedLot', description: `An asset in status ${String(status)} is linked to a lot` });
  } else if (typeof relatedLot !== 'string' || !ID.test(relatedLot)) {
    faults.push({ name: 'relatedLot', description: '32 lower-case hex characters are required' });
  }
  return faults;
}
