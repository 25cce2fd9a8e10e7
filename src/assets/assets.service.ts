import { Injectable } from '@nestjs/common';
import { lifecycleOf } from '../asset-types/lifecycle.js';
import { printFields, withItemIds } from '../asset-types/fields-json.js';
import { secretDigest } from '../auth/api-key.js';
import { newOwnerToken } from '../auth/owner-token.js';
import { DoneBefore, type Repeatable } from '../auth/repeatable.js';
import { AccessReader, type ActingAccount } from '../database/access-reader.js';
import type { ReadAsset } from '../database/asset-row.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { ApiError } from '../errors/api-error.js';
import { assetNotFound, groupTooLarge } from '../errors/errors.js';
import type { Caller } from '../http/caller.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';
import type { DraftedAsset } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import { askedBy, AssetWriter } from './asset-writer.js';
import { checkSize } from './asset-change.js';
import { noAssetAt } from '../asset/no-asset.js';
import { ASSET_ID, itemIdsOf, newId } from '../asset/identifiers.js';
import { type GroupMember, MOST_GROUP_BYTES, soundIds } from './group-change.js';
import { groupRefusal } from './group-refusal.js';
import type { NewAsset } from './new-asset.pipe.js';
import type { WantedCreation, WantedGroup } from './wanted-write.js';

/** A POST as it came in. */
export interface AssetCreation {
  input: NewAsset;
  account: ActingAccount;
  caller: Caller;
  /** Where it brought an Idempotency-Key: done once, however often it comes; then the first answer is given again. */
  repeatable: Repeatable | undefined;
}

/** A PATCH of several assets as it came in. */
export interface GroupChange {
  members: readonly GroupMember[];
  account: ActingAccount;
  caller: Caller;
}

/** A new asset with its owner token, which is kept as a digest only. */
interface CreatedAsset {
  asset: Asset;
  token: string;
}

/** What can be done with an asset. Every write goes through the ledger. */
@Injectable()
export class AssetsService {
  constructor(
    private readonly assets: ShownAssets,
    private readonly writer: AssetWriter,
    private readonly access: AccessReader,
  ) {}

  /** @throws ApiError 404 */
  async get(id: string): Promise<ReadAsset> {
    return orNotFound(await this.find(id));
  }

  /** @returns the asset with this id; undefined where there is none */
  find(id: string): Promise<ReadAsset | undefined> {
    return this.assets.find(id);
  }

  /** @returns the asset with this assetID, unless it is a draft. @throws ApiError 404 */
  async getListed(assetId: string): Promise<ReadAsset> {
    const asset = ASSET_ID.test(assetId) ? await this.assets.findListed(assetId) : undefined;
    return orNotFound(asset);
  }

  /** @throws ApiError 422 when the Idempotency-Key came with another body, or the asset is too large, 503 */
  async create({ repeatable, ...creation }: AssetCreation): Promise<CreatedAsset> {
    const { caller } = creation;
    const id = newId();
    const receipt = repeatable?.newReceipt(id);
    const token = (receipt && repeatable?.tokenOf(receipt)) ?? newOwnerToken();
    const wanted = wantedCreation(id, creation, token);
    try {
      const [asset] = await this.writer.write(receipt === undefined ? wanted : { ...wanted, receipt }, caller);
      return { asset: asset as Asset, token };
    } catch (error) {
      if (!(error instanceof DoneBefore) || repeatable === undefined) throw error;
      const before = repeatable.tokenOf(error.receipt);
      const { id: keptId, assetId, createdUs } = await this.get(error.receipt.assetId);
      // As it was when it was created: the same body makes the same draft.
      return { asset: stamp(draftOf(keptId, creation, before), undefined, createdUs, assetId), token: before };
    }
  }

  /**
   * Changes several assets, or none.
   * @returns them in the order of the members
   * @throws ApiError 403, 404, 412, 413, 422 of the members, 503
   */
  async changeGroup(change: GroupChange): Promise<Asset[]> {
    return this.writer.write(await this.wantedGroup(change), change.caller);
  }

  /** What is missing or too large in all is found before anything is locked, or read. @throws ApiError 404, 413, 503 */
  async wantedGroup({ members, account, caller }: GroupChange): Promise<WantedGroup> {
    const sizes = await caller.inTime(this.access.sizesOf(soundIds(members)));
    const missing = members.flatMap(({ id }, place): [number, ApiError][] =>
      sizes.has(id) ? [] : [[place, noAssetAt(id)]],
    );
    if (missing.length > 0) throw groupRefusal(new Map(missing), members);
    const readBytes = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
    if (readBytes > MOST_GROUP_BYTES) throw groupTooLarge(MOST_GROUP_BYTES);
    return { members, account, readBytes, ...askedBy(account, caller) };
  }
}

/** @throws ApiError 422 for an asset that is too large */
export function wantedCreation(id: string, creation: Omit<AssetCreation, 'repeatable'>, token: string): WantedCreation {
  const draft = draftOf(id, creation, token);
  const { bytes, ...asked } = askedBy(creation.account, creation.caller);
  return { id, draft, bytes: bytes + draft.body.length, ...asked };
}

/** @throws ApiError 422 for an asset that is too large */
function draftOf(
  id: string,
  { input: { type, fields }, account }: Omit<AssetCreation, 'repeatable'>,
  token: string,
): DraftedAsset {
  const { initial, states } = lifecycleOf(type);
  const body = checkSize(printFields(type.dto, withItemIds(type.dto, fields, itemIdsOf(id))));
  return {
    id,
    assetType: type.name,
    status: initial,
    owner: account.name,
    tokenDigest: secretDigest(token),
    relatedLot: null,
    body,
    listed: states[initial]?.listed === true,
    changed: [],
  };
}

function orNotFound(asset: ReadAsset | undefined): ReadAsset {
  if (asset === undefined) throw assetNotFound();
  return asset;
}
