import { Injectable } from '@nestjs/common';
import { newId } from '../feed/asset-identifiers.js';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';
import { decideAssets } from '../feed/writing/decide.js';
import { Ledger } from '../feed/writing/ledger.js';
import type { DecidedAsset, Operation } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import type { Caller } from '../http/caller.js';
import type { WriteRequest } from './write-request.js';

/** Id of every new item in a dry run. Clients never see it, so they cannot send it. */
const DRY_RUN_ITEM_ID = newId();
const MEMBER = `"id":"${DRY_RUN_ITEM_ID}"`;
const DRY_RUN_ITEM_IDS = new RegExp(`${MEMBER},|,?${MEMBER}`, 'g');

/** @returns the function that makes ids of new items @param ids used unless it is a dry run */
export function itemIdsFor({ isDryRun }: Pick<WriteRequest, 'isDryRun'>, ids: () => string = newId): () => string {
  return isDryRun ? () => DRY_RUN_ITEM_ID : ids;
}

/**
 * Runs dry runs: the operation decides on the current assets, and the ledger does not run it. Omits ids, numbers and dates that only a write
 * assigns. Source: contract section 14.
 */
@Injectable()
export class DryRuns {
  /** One group at a time, because all its assets are in memory at once. Single assets do not wait for it. */
  private readonly groups = new Semaphore(1);

  constructor(
    private readonly ledger: Ledger,
    private readonly assets: ShownAssets,
  ) {}

  /**
   * @returns the assets as they would be, but with their current dates; a new one has none
   * @throws ApiError as the write would be refused
   */
  submit(operation: Operation, caller: Pick<Caller, 'beforeDeadline' | 'waitedMs'>): Promise<Asset[]> {
    const deciding = (): Promise<Asset[]> => this.decide({ ...operation, waitedMs: caller.waitedMs });
    return caller.beforeDeadline(operation.ids.length === 1 ? deciding() : this.groups.run(deciding));
  }

  private async decide(operation: Operation): Promise<Asset[]> {
    const refusal = this.ledger.refusalOf(operation);
    if (refusal !== undefined) throw refusal;
    const found = operation.creates ? [undefined] : await this.find(operation.ids);
    const decided = decideAssets(operation, found, {});
    return decided.map((next, i) => stampDryRun(next, found[i]));
  }

  private find(ids: readonly string[]): Promise<(Asset | undefined)[]> {
    return Promise.all(ids.map((id) => this.assets.findRow(id)));
  }
}

/** @param next undefined if the write would change nothing */
function stampDryRun(next: DecidedAsset | undefined, current: Asset | undefined): Asset {
  if (next === undefined) return current as Asset;
  const body = next.body.replaceAll(DRY_RUN_ITEM_IDS, '');
  return stamp({ ...next, body }, current, current?.modifiedUs ?? 0, current?.assetId ?? '');
}
