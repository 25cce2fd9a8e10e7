import type { AssetType } from '../../asset-types/asset-type.js';
import { AssetTypes } from '../../asset-types/asset-types.js';
import { printFields, withItemIds } from '../../asset-types/fields-json.js';
import { type Actor, lifecycleOf, type Move } from '../../asset-types/lifecycle.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { itemIdsOf } from '../../feed/asset-identifiers.js';
import { printAsset } from '../../feed/reading/asset-view.js';
import type { DecidedAsset } from '../../feed/writing/operation.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { changeAsset } from '../asset-change.js';
import { NewAssetPipe } from '../new-asset.pipe.js';

type JsonObject = Record<string, unknown>;

/** Id of the lot that assets are linked to. */
export const LOT = 'a'.repeat(32);
const ID = 'f'.repeat(32);
const US = 1_500_000_000_000_000;
const TIME = new RegistryTime('Europe/Kyiv');

/** The result of a change. */
export interface Outcome {
  /** Such as `403 data`, or `none`. */
  refusal: string;
  /** Undefined if the change was refused, or changed nothing. */
  changed?: DecidedAsset | undefined;
}

/** Creates and changes the example of an asset type as the service would, in memory. */
export class TypeSimulator {
  constructor(readonly type: AssetType) {}

  /** @returns the asset that a POST of the example creates */
  create(): Asset {
    const { type } = this;
    const data = structuredClone(type.example.data);
    const { fields } = new NewAssetPipe(new AssetTypes([type])).transform({ data });
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

  /** @param shown the asset as a GET answers it */
  change(current: Asset, actor: Actor, patch: JsonObject, shown = shownOf(current)): Outcome {
    const change = { current, shown, patch, actor, type: this.type };
    try {
      return { refusal: 'none', changed: changeAsset(change, itemIdsOf(ID)) };
    } catch (error) {
      if (!(error instanceof ApiError)) return { refusal: String(error) };
      return { refusal: [error.status, ...error.faults.map(({ name }) => name)].join(' ') };
    }
  }

  /** @returns the patch that requests a move to the state */
  patchTo(state: string): JsonObject {
    const needsLot = lifecycleOf(this.type).states[state]?.needsLot;
    return { ...this.type.example.moves?.[state], status: state, ...(needsLot && { relatedLot: LOT }) };
  }

  /**
   * Makes every move of the lifecycle by its actor.
   * @param onRefused called for each move that is refused
   * @returns an asset in each state that the moves lead to
   */
  assetsByState(onRefused: (move: Move, refusal: string) => void): Map<string, Asset> {
    const { initial, moves } = lifecycleOf(this.type);
    const assets = new Map([[initial, this.create()]]);
    // Iteration includes entries that are added to the map meanwhile.
    for (const [state, asset] of assets) {
      for (const move of moves.filter(({ from }) => from === state)) {
        const { refusal, changed } = this.change(asset, move.by, this.patchTo(move.to));
        if (refusal !== 'none') onRefused(move, refusal);
        else if (!assets.has(move.to)) assets.set(move.to, Object.assign({}, asset, changed));
      }
    }
    return assets;
  }
}

/** @returns the asset as a GET answers it */
export function shownOf(asset: Asset): JsonObject {
  return JSON.parse(printAsset(asset, TIME)) as JsonObject;
}
