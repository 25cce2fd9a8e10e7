import { Injectable } from '@nestjs/common';
import type { AssetType } from '../asset-types/asset-type.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { entityTag, printAsset } from '../feed/reading/asset-view.js';
import { ID, itemIdsOf, newId } from '../feed/asset-identifiers.js';
import { assetNotFoundAt } from '../http/asset-not-found.js';
import { secretDigest } from '../auth/api-key.js';
import { checkPermission } from '../auth/owner-token.js';
import { TRANSFER_CODE_TTL_US, newTransferCode } from '../auth/transfer-code.js';
import { WallClock } from '../feed/clock/wall-clock.js';
import { AccessReader } from '../database/readers/access-reader.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { ApiError } from '../platform/errors/api-error.js';
import { assetNotFound, changeRefused, groupTooLarge, preconditionFailed } from '../platform/errors/errors.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';
import type { DecisionContext, DecidedAsset } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import { isMatch } from '../http/request-head.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { changeAsset } from './asset-change.js';
import { type AssetWrite, AssetWriter, type OwnedAsset } from './asset-writer.js';
import { itemIdsFor } from './dry-runs.js';
import { type GroupMember, MAX_GROUP_BYTES, quotedTag, validIds } from './group-change.js';
import { groupRefusal } from './group-refusal.js';
import type { NewAsset } from './new-asset.pipe.js';
import { createdAsset } from './created-asset.js';
import { checkTransferable, transferAsset } from './ownership-change.js';
import { stalenessOf } from './refusals.js';
import type { WriteRequest } from './write-request.js';

/** A transfer code; the registry stores only its digest. */
interface IssuedCode {
  code: string;
  /** Expiry in microseconds since 1970 UTC. */
  expiresUs: number;
}

/** A change of one asset, with its preconditions. */
interface RequestedChange extends Pick<WriteRequest, 'permission' | 'ifMatch'> {
  patch: Record<string, unknown>;
  newItemId: () => string;
}

/**
 * Operations on assets. Each write names its assets and decides what becomes of each; the AssetWriter runs it. `decide` gets the locked row,
 * because the row that the guards read may have changed since.
 */
@Injectable()
export class AssetsService {
  constructor(
    private readonly writer: AssetWriter,
    private readonly assets: ShownAssets,
    private readonly access: AccessReader,
    private readonly types: AssetTypes,
    private readonly clock: WallClock,
    private readonly time: RegistryTime,
  ) {}

  /** @throws ApiError 404 */
  async get(id: string): Promise<ReadAsset> {
    return orNotFound(await this.find(id));
  }

  find(id: string): Promise<ReadAsset | undefined> {
    return this.assets.find(id);
  }

  /** @returns the published asset with this assetID @param assetId in either case @throws ApiError 404, for a draft too */
  async getListed(assetId: string): Promise<ReadAsset> {
    const asset = await this.assets.findListed(assetId);
    if (asset === undefined) throw assetNotFound('no published asset has this assetID');
    return asset;
  }

  /** @param name an id, or the assetID of a listed asset @throws ApiError 404 */
  async getId(name: string): Promise<string> {
    return ID.test(name) ? name : (await this.getListed(name)).id;
  }

  /** @throws ApiError 422 if the Idempotency-Key was used with another body, or the asset is too large, 503 */
  create(input: NewAsset, request: WriteRequest): Promise<OwnedAsset> {
    const id = newId();
    const { name } = request.permission.account;
    const assetWith = (assetId: string, token: string): DecidedAsset =>
      createdAsset(assetId, input, { owner: name, token, itemIds: itemIdsFor(request, itemIdsOf(assetId)) });
    const write = (token: string): AssetWrite => creationOf(assetWith(id, token));
    return this.writer.runOnce(
      {
        id,
        write,
        repeat: async (receipt, token) => {
          const { id: firstId, assetId, createdUs } = await this.get(receipt.assetId);
          // The first request had the same body, so it made the same asset.
          return stamp(assetWith(firstId, token), undefined, createdUs, assetId);
        },
      },
      request,
    );
  }

  /** @throws ApiError 403, 404, 412, 422, 503 */
  async change(id: string, patch: Record<string, unknown>, request: WriteRequest): Promise<Asset> {
    const { permission, ifMatch } = request;
    const change = { patch, permission, ifMatch, newItemId: itemIdsFor(request) };
    const decide: AssetWrite['decide'] = (current) => this.changed(current, change);
    const [asset] = await this.writer.run({ ids: [id], creates: false, decide }, request);
    return asset as Asset;
  }

  /**
   * Changes all of several assets, or none.
   * @returns the assets in the order of the members
   * @throws ApiError 403, 404, 412, 413, 422 of the members, 503
   */
  async changeGroup(members: readonly GroupMember[], request: WriteRequest): Promise<Asset[]> {
    const readBytes = await request.caller.beforeDeadline(this.sizeOf(members));
    const { permission } = request;
    const newItemId = itemIdsFor(request);
    const decide: AssetWrite['decide'] = (current, { index }) => {
      const { patch, etag } = members[index] as GroupMember;
      return this.changed(current, { patch, permission, ifMatch: etag && quotedTag(etag), newItemId });
    };
    const refuse = (refusals: ReadonlyMap<number, ApiError>): ApiError => groupRefusal(refusals, members);
    const ids = members.map(({ id }) => id);
    return this.writer.run({ ids, creates: false, readBytes, decide, refuse }, request);
  }

  /** Issues a transfer code that replaces an earlier one. @throws ApiError 403, 404, 503 */
  async issueTransferCode(id: string, request: WriteRequest): Promise<IssuedCode> {
    const code = newTransferCode();
    const expiresUs = this.clock.nowUs() + TRANSFER_CODE_TTL_US;
    const decide = (current: Asset | undefined): undefined => {
      if (current === undefined) throw assetNotFound();
      checkPermission(current, request.permission);
      checkTransferable(current, this.typeOf(current));
    };
    const stored = { digest: secretDigest(code), expiresUs };
    await this.writer.storeTransferCode({ ids: [id], creates: false, decide }, stored, request);
    return { code, expiresUs };
  }

  /**
   * Transfers an asset to the broker that sends its transfer code.
   * @param code as sent: any JSON value
   * @throws ApiError 403, 404, 422 if the Idempotency-Key was used with another request, 503
   */
  takeOver(id: string, code: unknown, request: WriteRequest): Promise<OwnedAsset> {
    const { name: newOwner } = request.permission.account;
    const codeDigest = typeof code === 'string' ? secretDigest(code) : undefined;
    const write = (token: string): AssetWrite => {
      const takeover = { newOwner, codeDigest, tokenDigest: secretDigest(token) };
      const decide = (current: Asset | undefined, { code: stored }: DecisionContext): DecidedAsset => {
        if (current === undefined) throw assetNotFound();
        const transferred = transferAsset(current, stored, takeover, this.clock.nowUs());
        checkTransferable(current, this.typeOf(current));
        return transferred;
      };
      return { ids: [id], creates: false, usesCode: true, decide };
    };
    return this.writer.runOnce({ id, write, repeat: () => this.get(id) }, request);
  }

  private changed(
    current: Asset | undefined,
    { patch, permission, ifMatch, newItemId }: RequestedChange,
  ): DecidedAsset | undefined {
    if (current === undefined) throw assetNotFound();
    checkPermission(current, permission);
    if (!isMatch(ifMatch, entityTag(current, this.time))) throw preconditionFailed();
    const { role } = permission.account;
    const shown = JSON.parse(printAsset(current, this.time)) as Record<string, unknown>;
    const change = {
      current,
      shown,
      patch,
      actor: role === 'broker' ? ('owner' as const) : role,
      type: this.typeOf(current),
      staleness: () => stalenessOf(patch, current, this.time),
    };
    return changeAsset(change, newItemId);
  }

  /** @throws ApiError 403 if the type is no longer installed, because its rules are unknown */
  private typeOf({ assetType, status }: Asset): AssetType {
    const type = this.types.find(assetType);
    if (type === undefined) throw changeRefused(status, `its asset type ${assetType} is not installed`);
    return type;
  }

  /** Sums the bodies of all members in bytes, to refuse missing or too large ones before any is locked. @throws ApiError 404, 413, 503 */
  private async sizeOf(members: readonly GroupMember[]): Promise<number> {
    const sizes = await this.access.sizesOf(validIds(members));
    const missing = members.flatMap(({ id }, index): [number, ApiError][] =>
      sizes.has(id) ? [] : [[index, assetNotFoundAt(id)]],
    );
    if (missing.length > 0) throw groupRefusal(new Map(missing), members);
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    if (bytes > MAX_GROUP_BYTES) throw groupTooLarge(MAX_GROUP_BYTES);
    return bytes;
  }
}

function creationOf(created: DecidedAsset): AssetWrite {
  // The id is random, so a row that has it is of this creation.
  const decide = (current: Asset | undefined): DecidedAsset | undefined =>
    current === undefined ? created : undefined;
  return { ids: [created.id], creates: true, bodyBytes: created.body.length, decide };
}

function orNotFound(asset: ReadAsset | undefined): ReadAsset {
  if (asset === undefined) throw assetNotFound();
  return asset;
}
