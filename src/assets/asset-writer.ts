import { Injectable } from '@nestjs/common';
import type { AssetType } from '../asset-types/asset-type.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { entityTag, printAsset } from '../asset/asset-view.js';
import type { Permission } from '../auth/found-in-request.js';
import { checkPermission } from '../auth/owner-token.js';
import { checkSameBody, DoneBefore } from '../auth/repeatable.js';
import { WallClock } from '../clock/wall-clock.js';
import type { ActingAccount } from '../database/access-reader.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import type { ApiError } from '../errors/api-error.js';
import { assetNotFound, changeRefused, preconditionFailed } from '../errors/errors.js';
import { Ledger } from '../feed/writing/ledger.js';
import type { Beside, DraftedAsset, Operation, Waiter } from '../feed/writing/operation.js';
import type { Caller } from '../http/caller.js';
import { isMatch } from '../http/request-head.js';
import { RegistryTime } from '../time/registry-time.js';
import { changeAsset } from './asset-change.js';
import { type GroupMember, quotedTag } from './group-change.js';
import { groupRefusal } from './group-refusal.js';
import { checkGivable, takenOver } from './ownership-change.js';
import { stalenessOf } from './refusals.js';
import type {
  Asked,
  WantedChange,
  WantedCode,
  WantedCreation,
  WantedGroup,
  WantedTaking,
  WantedWrite,
} from './wanted-write.js';

const BYTES_BESIDE_WHAT_WAS_SENT = 200;

/** A PATCH as it came in. */
export interface AssetPatch {
  id: string;
  data: Record<string, unknown>;
  permission: Permission;
  ifMatch: string | undefined;
  caller: Caller;
}

/** What one asset is to become, and what has to hold for that. */
interface RequestedChange {
  patch: Record<string, unknown>;
  permission: Permission;
  ifMatch: string | undefined;
}

/** The one way of a write from a request to the ledger. */
@Injectable()
export class AssetWriter {
  constructor(
    private readonly types: AssetTypes,
    private readonly ledger: Ledger,
    private readonly time: RegistryTime,
    private readonly clock: WallClock,
  ) {}

  /** @throws ApiError 403, 404, 412, 422, 503 */
  async change(patch: AssetPatch): Promise<Asset> {
    const [asset] = await this.write(wantedChange(patch), patch.caller);
    return asset as Asset;
  }

  /**
   * @returns the assets as they are after the commit: of a group, in its order
   * @throws DoneBefore, ApiError 403, 404, 412, 422, 503
   */
  write(wanted: WantedWrite, waiter: Waiter): Promise<Asset[]> {
    if ('code' in wanted) return this.ledger.keepCode({ ...this.codeIssue(wanted), waiter }, wanted.code);
    if ('taking' in wanted) return this.ledger.submit({ ...this.taking(wanted), waiter });
    return this.ledger.submit({ ...this.operationOf(wanted), waiter });
  }

  /** What the ledger is asked to do. @param newItemId gives its id to an item that comes without one */
  operationOf(wanted: WantedCreation | WantedChange | WantedGroup, newItemId?: () => string): Operation {
    if ('draft' in wanted) return creation(wanted);
    return 'members' in wanted ? this.groupChangeOf(wanted, newItemId) : this.changeOf(wanted, newItemId);
  }

  private changeOf({ id, patch, permission, ifMatch, ...asked }: WantedChange, newItemId?: () => string): Operation {
    const decide: Operation['decide'] = (current) => this.decide(current, { patch, permission, ifMatch }, newItemId);
    return { ...asked, ids: [id], creates: false, decide };
  }

  /** Each member is decided on as a change of one asset is. */
  private groupChangeOf({ members, account, ...asked }: WantedGroup, newItemId?: () => string): Operation {
    const permission = { account, sent: undefined };
    const decide: Operation['decide'] = (current, { place }) => {
      const { patch, etag } = members[place] as GroupMember;
      return this.decide(current, { patch, permission, ifMatch: etag && quotedTag(etag) }, newItemId);
    };
    const refuse = (refusals: ReadonlyMap<number, ApiError>): ApiError => groupRefusal(refusals, members);
    return { ...asked, ids: members.map(({ id }) => id), creates: false, decide, refuse };
  }

  /** Everything is decided on the locked row: what was read before may have changed. */
  private decide(
    current: Asset | undefined,
    { patch, permission, ifMatch }: RequestedChange,
    newItemId?: () => string,
  ): DraftedAsset | undefined {
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

  /** Nobody knows what may be done with an asset whose type was taken away. @throws ApiError 403 */
  private typeOf({ assetType, status }: Asset): AssetType {
    const type = this.types.find(assetType);
    if (type === undefined) throw changeRefused(status, `its asset type ${assetType} is not installed`);
    return type;
  }

  private codeIssue({ id, permission, ...asked }: WantedCode): Operation {
    const decide = (current: Asset | undefined): undefined => {
      if (current === undefined) throw assetNotFound();
      checkPermission(current, permission);
      checkGivable(current, this.typeOf(current));
    };
    return { ...asked, ids: [id], creates: false, decide };
  }

  private taking({ id, taking, ...asked }: WantedTaking): Operation {
    const decide = (current: Asset | undefined, { code, receipt: kept }: Beside): DraftedAsset => {
      checkNotDone(kept, asked.receipt);
      if (current === undefined) throw assetNotFound();
      const taken = takenOver(current, code, taking, this.clock.nowUs());
      checkGivable(current, this.typeOf(current));
      return taken;
    };
    return { ...asked, ids: [id], creates: false, usesCode: true, decide };
  }
}

export function askedBy(account: ActingAccount, caller: Caller): Asked {
  const { requestId, waitedMs, heldBytes } = caller;
  return { author: { account: account.name, requestId }, waitedMs, bytes: BYTES_BESIDE_WHAT_WAS_SENT + heldBytes };
}

export function wantedChange({ id, data, permission, ifMatch, caller }: AssetPatch): WantedChange {
  const wanted = { id, patch: data, permission, ...askedBy(permission.account, caller) };
  return ifMatch === undefined ? wanted : { ...wanted, ifMatch };
}

/** @throws DoneBefore, ApiError 422 where the key came with another request */
function checkNotDone(kept: Receipt | undefined, receipt: Omit<Receipt, 'createdUs'> | undefined): void {
  if (kept === undefined || receipt === undefined) return;
  checkSameBody(kept, receipt);
  throw new DoneBefore(kept);
}

function creation({ id, draft, receipt, ...asked }: WantedCreation): Operation {
  const decide = (current: Asset | undefined, { receipt: kept }: Beside): DraftedAsset | undefined => {
    checkNotDone(kept, receipt);
    // The id is random: a row that has it was made by the same creation.
    return current === undefined ? draft : undefined;
  };
  return {
    ...asked,
    ids: [id],
    creates: true,
    decide,
    ...(receipt && { receipt }),
  };
}
