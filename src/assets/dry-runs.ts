import { Injectable } from '@nestjs/common';
import { newId } from '../feed/asset-identifiers.js';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';
import { draftsOf } from '../feed/writing/decide.js';
import { Ledger } from '../feed/writing/ledger.js';
import type { DraftedAsset, Operation } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import type { Caller } from '../http/caller.js';
import type { WriteRequest } from './write-request.js';

/** The id of every new item in a dry run. Clients never see it, so no value that they send is equal to it. */
const TRIED_ITEM_ID = newId();
const MEMBER = `"id":"${TRIED_ITEM_ID}"`;
const TRIED_ITEM_IDS = new RegExp(`${MEMBER},|,?${MEMBER}`, 'g');

/** What gives ids to the new items of a write. @param ids what gives them where it is no dry run */
export function itemIdsFor({ isDryRun }: Pick<WriteRequest, 'isDryRun'>, ids: () => string = newId): () => string {
  return isDryRun ? () => TRIED_ITEM_ID : ids;
}

/**
 * Tries writes: the operation of the write decides on the assets as they are now, and the ledger does not run it. Ids, numbers and dates
 * that only the write gives are left out, because the write would give others. Source: contract section 14.
 */
@Injectable()
export class DryRuns {
  /** One group at a time: its assets are in memory together. No single asset waits for a group. */
  private readonly groups = new Semaphore(1);

  constructor(
    private readonly ledger: Ledger,
    private readonly assets: ShownAssets,
  ) {}

  /**
   * @returns the assets as they would be, with the dates that they have: a new one has none
   * @throws ApiError what the write would be refused with
   */
  submit(operation: Operation, caller: Pick<Caller, 'beforeDeadline' | 'waitedMs'>): Promise<Asset[]> {
    const deciding = (): Promise<Asset[]> => this.decide({ ...operation, waitedMs: caller.waitedMs });
    return caller.beforeDeadline(operation.ids.length === 1 ? deciding() : this.groups.run(deciding));
  }

  private async decide(operation: Operation): Promise<Asset[]> {
    const refusal = this.ledger.refusalOf(operation);
    if (refusal !== undefined) throw refusal;
    const found = operation.creates ? [undefined] : await this.find(operation.ids);
    const drafts = draftsOf(operation, found, {});
    return drafts.map((draft, place) => stampAsTried(draft, found[place]));
  }

  private find(ids: readonly string[]): Promise<(Asset | undefined)[]> {
    return Promise.all(ids.map((id) => this.assets.findRow(id)));
  }
}

/** @param draft undefined where nothing would change */
function stampAsTried(draft: DraftedAsset | undefined, current: Asset | undefined): Asset {
  if (draft === undefined) return current as Asset;
  const body = draft.body.replaceAll(TRIED_ITEM_IDS, '');
  return stamp({ ...draft, body }, current, current?.modifiedUs ?? 0, current?.assetId ?? '');
}
