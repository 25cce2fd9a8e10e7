import { memberOf } from '../feed/reading/asset-view.js';
import type { AssetType } from '../asset-types/asset-type.js';
import type { Actor, Lifecycle } from '../asset-types/lifecycle.js';
import type { FieldFault } from '../asset-types/fields-json.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { ApiError } from '../platform/errors/api-error.js';
import { changeRefused } from '../platform/errors/errors.js';
import type { RegistryTime } from '../platform/time/registry-time.js';

/*
 * Refusals say what is allowed instead. The contract has the beginning of each text (sections 2 and 8).
 */

/** Bounds the list of asset types, because packages may add any number. */
const MAX_LISTED = 20;
const ALL = new Intl.ListFormat('en', { type: 'conjunction' });
const ANY = new Intl.ListFormat('en', { type: 'disjunction' });

/**
 * 403, with what this actor may do in this state.
 * @param staleness see stalenessOf
 */
export function refusedChange(lifecycle: Lifecycle, status: string, actor: Actor, staleness?: string): ApiError {
  const help = allowedHere(lifecycle, status, actor);
  return changeRefused(status, staleness === undefined ? help : `${help}; ${staleness}`);
}

function allowedHere(lifecycle: Lifecycle, status: string, actor: Actor): string {
  const editors = lifecycle.states[status]?.editors ?? {};
  if (Object.keys(editors).length === 0) return 'it is final';
  if (actor !== 'administrator' && editors[actor] === undefined) return `the ${actor} may change nothing here`;
  const moves = lifecycle.moves.filter(
    ({ from, by }) => from === status && (actor === 'administrator' || by === actor),
  );
  if (moves.length === 0) return `the ${actor} may not move it from here`;
  const states = moves.map(({ to }) => to);
  return `from here the ${actor} may move it to ${listed(states, ANY)}`;
}

/**
 * Explains a patch that is an older state of the asset, which the client read before the last change.
 * @returns undefined if it is not: its dateModified is not between creation and last change
 */
export function stalenessOf(
  patch: Readonly<Record<string, unknown>>,
  { id, assetId, createdUs, modifiedUs }: Pick<Asset, 'id' | 'assetId' | 'createdUs' | 'modifiedUs'>,
  time: RegistryTime,
): string | undefined {
  const sent = memberOf(patch, 'dateModified');
  const sentUs = typeof sent === 'string' ? time.parse(sent) : undefined;
  if (sentUs === undefined || sentUs < createdUs || sentUs >= modifiedUs) return undefined;
  const isOther = (memberOf(patch, 'id') ?? id) !== id || (memberOf(patch, 'assetID') ?? assetId) !== assetId;
  return isOther ? undefined : `the asset has changed since it was read, at ${time.print(modifiedUs)}`;
}

export function unknownStatus({ states }: Lifecycle): FieldFault {
  return { name: 'status', description: `There is no such status: there are ${listed(Object.keys(states), ALL)}` };
}

export function unknownType(installed: readonly Pick<AssetType, 'name'>[]): FieldFault {
  const names = installed.map(({ name }) => name);
  return { name: 'assetType', description: `There is no such asset type: there are ${listed(names, ALL)}` };
}

function listed(names: readonly string[], form: Intl.ListFormat): string {
  return form.format(names.length > MAX_LISTED ? [...names.slice(0, MAX_LISTED), 'others'] : names);
}
