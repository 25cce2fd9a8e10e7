import { describe, expect, it } from '@jest/globals';
import type { AssetType } from '../asset-types/asset-type.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { fieldsOf } from '../asset-types/fields.js';
import * as installed from '../asset-types/installed.js';
import { type Actor, lifecycleOf, mayWrite, type Move, type State } from '../asset-types/lifecycle.js';
import { withItemIds, printFields } from '../asset-types/fields-json.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { DraftedAsset } from '../feed/writing/operation.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { changeAsset } from './asset-change.js';
import { printAsset } from '../feed/reading/asset-view.js';
import { itemIdsOf } from '../feed/asset-identifiers.js';
import { NewAssetPipe } from './new-asset.pipe.js';

/*
 * What the contract of an asset type promises, for every installed one: a new type gets all of it by its line in installed.ts.
 */

type JsonObject = Record<string, unknown>;

const TYPES: readonly AssetType[] = Object.values(installed);
const ACTORS: readonly Actor[] = ['owner', 'concierge', 'administrator'];
const LOT = 'a'.repeat(32);
const ID = 'f'.repeat(32);
const US = 1_500_000_000_000_000;
const time = new RegistryTime('Europe/Kyiv');
const pipe = new NewAssetPipe(new AssetTypes(TYPES));

/** An asset as POST makes it of the type's example. */
function created(type: AssetType): Asset {
  const { fields } = pipe.transform({ data: structuredClone(type.example.data) });
  return {
    id: ID,
    assetId: 'UA-2017-07-14-000001',
    assetType: type.name,
    status: lifecycleOf(type).initial,
    owner: 'broker',
    tokenDigest: 'd',
    relatedLot: null,
    body: printFields(type.dto, withItemIds(type.dto, fields, itemIdsOf(ID))),
    version: 1,
    createdUs: US,
    modifiedUs: US,
    feedUs: null,
  };
}

const shownOf = (asset: Asset): JsonObject => JSON.parse(printAsset(asset, time)) as JsonObject;

function changed(type: AssetType, current: Asset, actor: Actor, patch: JsonObject): DraftedAsset | undefined {
  return changeAsset({ current, shown: shownOf(current), patch, actor, type });
}

/** `403 data`, or `none`. */
function refusal(type: AssetType, current: Asset, actor: Actor, patch: JsonObject): string {
  try {
    changed(type, current, actor, patch);
    return 'none';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, faults } = error;
    return [status, ...faults.map(({ name }) => name)].join(' ');
  }
}

const patchTo = (type: AssetType, status: string): JsonObject => ({
  ...type.example.moves?.[status],
  status,
  ...(lifecycleOf(type).states[status]?.needsLot && { relatedLot: LOT }),
});

/** The asset after a move of its type. @throws Error that says what the example lacks */
function moved(type: AssetType, asset: Asset, { from, to, by }: Move): Asset {
  const refused = refusal(type, asset, by, patchTo(type, to));
  if (refused !== 'none')
    throw new Error(
      `Asset type ${type.name}: the ${by}'s move from ${from} to ${to} is refused (${refused}). What it needs beside status and relatedLot stands in the example, under moves.${to}; what the ${by} may write in ${from}, in its editors`,
    );
  return { ...asset, ...changed(type, asset, by, patchTo(type, to)) };
}

/** An asset in each state, led there by the type's own moves, each made by its own actor. */
function everyState(type: AssetType): Map<string, Asset> {
  const { initial, moves } = lifecycleOf(type);
  const assets = new Map([[initial, created(type)]]);
  // A map goes on with what is added to it while it is walked.
  for (const [state, asset] of assets) {
    for (const move of moves.filter(({ from }) => from === state)) {
      if (!assets.has(move.to)) assets.set(move.to, moved(type, asset, move));
    }
  }
  return assets;
}

describe.each(TYPES)('the asset type $name', (type) => {
  const { states, moves, initial } = lifecycleOf(type);
  const assets = everyState(type);
  const names = Object.keys(states);
  const own = fieldsOf(type.dto);
  const assetIn = (state: string): Asset => assets.get(state) as Asset;
  const others = (state: string): [string, unknown][] =>
    Object.entries(shownOf(assetIn(state))).filter(([name]) => own.has(name));

  const every = names.flatMap((from) =>
    names.filter((to) => to !== from).flatMap((to) => ACTORS.map((actor) => [from, to, actor] as const)),
  );
  it.each(every)('%s to %s by the %s is made where the table has it, else refused', (from, to, actor) => {
    const move = moves.find((candidate) => candidate.from === from && candidate.to === to);
    const may = move !== undefined && (actor === move.by || actor === 'administrator');
    // What the actor could not write is left as it is.
    const asked = Object.entries(patchTo(type, to));
    const data = Object.fromEntries(
      asked.filter(([name]) => name === 'status' || mayWrite(states[from] as State, actor, name, own)),
    );
    const refused = refusal(type, assetIn(from), actor, data);
    if (!may) expect(refused).toBe('403 data');
    // Without what the example has for the move, the type's own rules may refuse it.
    else if (asked.some(([name]) => own.has(name) && !Object.hasOwn(data, name))) expect(refused).not.toMatch(/^403/);
    else {
      expect(refused).toBe('none');
      expect(changed(type, assetIn(from), actor, data)?.listed).toBe(states[to]?.listed);
    }
  });

  it.each(moves.map((move) => [move.from, move.to, move] as const))(
    'from %s to %s has the same outcome each time, and its effect and check change nothing that they see',
    (from, to, { by }) => {
      const current = Object.freeze({ ...assetIn(from) });
      const patch = patchTo(type, to);
      const before = structuredClone({ patch, shown: shownOf(current) });
      const shown = shownOf(current);
      const once = () => changeAsset({ current, shown, patch, actor: by, type }, itemIdsOf(ID));
      // A dry run asks, and then the write does.
      const first = once();
      expect([once(), { patch, shown }]).toEqual([first, before]);
    },
  );

  it.each(names.filter((state) => states[state]?.final))('%s is final: everything is refused to everyone', (state) => {
    for (const actor of ACTORS) {
      for (const patch of [{}, shownOf(assetIn(state)), { relatedLot: LOT }, { x: 1 }, { status: initial }])
        expect(refusal(type, assetIn(state), actor, patch)).toBe('403 data');
    }
  });

  const open = names.filter((state) => !states[state]?.final);
  it.each(open)('in %s a whole asset may be sent back by anyone, and changes nothing', (state) => {
    for (const actor of ACTORS) expect(changed(type, assetIn(state), actor, shownOf(assetIn(state)))).toBeUndefined();
  });

  it.each(open.flatMap((state) => ACTORS.map((actor) => [state, actor] as const)))(
    'in %s the %s removes and writes the fields that are theirs, and no others',
    (state, actor) => {
      const { editors } = states[state] as State;
      const defaults = new type.dto() as Record<string, unknown>;
      // One with a default goes back to it.
      for (const [name, value] of others(state).filter(([one]) => defaults[one] === undefined)) {
        const removed = refusal(type, assetIn(state), actor, { [name]: null });
        if (actor !== 'administrator' && editors[actor] === undefined) expect(removed).toBe('403 data');
        else if (!mayWrite(states[state] as State, actor, name, own)) expect(removed).toBe(`403 ${name}`);
        else if (!own.get(name)?.optional) expect(removed).toBe(`422 ${name}`);
        else if (removed === 'none') {
          const without = { ...assetIn(state), ...changed(type, assetIn(state), actor, { [name]: null }) };
          expect(shownOf(without)).not.toHaveProperty(name);
          expect(changed(type, without, actor, { [name]: value })?.body).toBe(assetIn(state).body);
        } else expect(removed).toMatch(/^422 /);
      }
    },
  );
});
