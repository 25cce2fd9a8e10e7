import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { printFields } from '../asset-types/fields-json.js';
import { printAsset, printUncreated } from '../asset/asset-view.js';
import { newId } from '../asset/identifiers.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { Semaphore } from '../concurrency/semaphore.js';
import type { Caller } from '../http/caller.js';
import { ShownAssets } from '../feed/reading/shown-assets.js';
import { draftsOf } from '../feed/writing/decide.js';
import { Ledger } from '../feed/writing/ledger.js';
import type { DraftedAsset, Operation } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import { RegistryTime } from '../time/registry-time.js';
import { type AssetPatch, AssetWriter, wantedChange } from './asset-writer.js';
import { type AssetCreation, AssetsService, type GroupChange, wantedCreation } from './assets.service.js';
import type { WantedChange, WantedGroup } from './wanted-write.js';

type Found = readonly (Asset | undefined)[];
type Drafts = (DraftedAsset | undefined)[];

/**
 * Writes that are tried: the ledger's own operation decides, on the asset as it is now, and nobody runs it. An id, a number or a date that
 * only the write gives is shown to nobody, as the write would give another one. Source: contract section 14.
 */
@Injectable()
export class DryRuns {
  /** One group at a time: its assets are in memory together. No single asset waits for a group. */
  private readonly groupsAtOnce = new Semaphore(1);

  constructor(
    private readonly ledger: Ledger,
    private readonly writer: AssetWriter,
    private readonly service: AssetsService,
    private readonly assets: ShownAssets,
    private readonly types: AssetTypes,
    private readonly time: RegistryTime,
  ) {}

  /** @returns the JSON text of the asset as it would be @throws ApiError 422 for one that is too large, 503 */
  async create(creation: Omit<AssetCreation, 'repeatable'>): Promise<string> {
    const { type, fields } = creation.input;
    // Drafted as it would be kept, with the ids of items, and shown without them.
    const operation = this.writer.operationOf(wantedCreation(newId(), creation, ''));
    const [draft] = this.decide(operation, [undefined], creation.caller);
    return printUncreated({ ...(draft as DraftedAsset), body: printFields(type.dto, fields) });
  }

  /** @returns the JSON text of the asset as it would be, with the dates that it has @throws ApiError 403, 404, 412, 422, 503 */
  async change(patch: AssetPatch): Promise<string> {
    const found = [await this.assets.findRow(patch.id)];
    const { operation, given } = this.trialOf(wantedChange(patch));
    const [draft] = this.decide(operation, found, patch.caller);
    return this.print(found[0] as Asset, draft, given);
  }

  /** What a change of several assets as one would make of them. @returns their bodies, in the order of the members. @throws ApiError 403, 404, 412, 413, 422, 503 */
  async changeGroup(change: GroupChange): Promise<string[]> {
    const { operation, given } = this.trialOf(await this.service.wantedGroup(change));
    return this.groupsAtOnce.run(async () => {
      this.checkTaken(operation, change.caller);
      const found = await Promise.all(change.members.map(({ id }) => this.assets.findRow(id)));
      const drafts = this.decide(operation, found, change.caller);
      // Where there is none, it was refused.
      return (found as Asset[]).map((current, place) => this.print(current, drafts[place], given));
    });
  }

  /** The operation, and the ids of items that it has given. */
  private trialOf(wanted: WantedChange | WantedGroup): { operation: Operation; given: ReadonlySet<unknown> } {
    const given = new Set<unknown>();
    const operation = this.writer.operationOf(wanted, () => {
      const id = newId();
      given.add(id);
      return id;
    });
    return { operation, given };
  }

  private print(current: Asset, draft: DraftedAsset | undefined, given: ReadonlySet<unknown>): string {
    if (draft === undefined) return printAsset(current, this.time);
    const body = this.withoutIds(draft, given);
    return printAsset(stamp({ ...draft, body }, current, current.modifiedUs, current.assetId), this.time);
  }

  /** @throws ApiError what the write would be refused with */
  private decide(operation: Operation, found: Found, caller: Caller): Drafts {
    this.checkTaken(operation, caller);
    return draftsOf(operation, found, {});
  }

  /** @throws ApiError 503 where the write would not be taken now, its client has gone, or its deadline has passed meanwhile */
  private checkTaken(operation: Operation, caller: Caller): void {
    const refusal = this.ledger.refusalOf({ ...operation, waiter: caller, waitedMs: caller.waitedMs });
    if (refusal !== undefined) throw refusal;
  }

  private withoutIds({ assetType, body }: DraftedAsset, ids: ReadonlySet<unknown>): string {
    if (ids.size === 0) return body;
    const fields = JSON.parse(body, (_, value: unknown) => (ids.has(value) ? undefined : value)) as object;
    return printFields(this.types.get(assetType).dto, fields);
  }
}
