import { Injectable } from '@nestjs/common';
import type { AnyAsset } from '../feed/reading/asset-view.js';
import { newOwnerToken } from '../auth/owner-token.js';
import { checkSameBody, AlreadyDone } from '../auth/idempotency.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { Receipt } from '../database/entities/receipt.entity.js';
import type { NewTransferCode } from '../feed/writing/store-transfer-code.js';
import { Ledger } from '../feed/writing/ledger.js';
import type { Operation } from '../feed/writing/operation.js';
import type { AnyText } from '../platform/text/encoded-text.js';
import { DryRuns } from './dry-runs.js';
import type { WriteRequest } from './write-request.js';

const BYTES_BESIDE_BODIES = 200;

/** What a write makes of its assets. Who asks for it is in the WriteRequest. */
export interface AssetWrite extends Pick<
  Operation,
  'ids' | 'creates' | 'decide' | 'refuse' | 'usesCode' | 'readBytes' | 'receipt'
> {
  /** Bytes of the bodies that it writes, beside what the request has sent. */
  bodyBytes?: number;
}

/** An asset with the owner token that its owner is shown once. */
export interface OwnedAsset {
  asset: AnyAsset<AnyText>;
  token: string;
}

/** A POST that gives an owner token. With an Idempotency-Key it is done once. */
interface OnceOnly {
  /** The asset that it creates or changes. */
  id: string;
  /** The write that gives the asset this owner token. */
  write: (token: string) => AssetWrite;
  /** The asset as the first answer showed it. */
  again: (receipt: Receipt, token: string) => Promise<AnyAsset<AnyText>>;
}

/** Runs the writes of requests: in the ledger, or as dry runs. */
@Injectable()
export class AssetWriter {
  constructor(
    private readonly ledger: Ledger,
    private readonly dryRuns: DryRuns,
  ) {}

  /**
   * @returns the assets in the order of the ids, as they are after the commit; of a dry run, as they would be
   * @throws ApiError what `decide` refuses with, 503
   */
  run(write: AssetWrite, request: WriteRequest): Promise<Asset[]> {
    const operation = operationOf(write, request);
    return request.isDryRun ? this.dryRuns.submit(operation, request.caller) : this.ledger.submit(operation);
  }

  /** @throws ApiError as `run`, and 422 when the Idempotency-Key came with another request */
  async runOnce({ id, write, again }: OnceOnly, request: WriteRequest): Promise<OwnedAsset> {
    const { repeatable } = request;
    const receipt = repeatable?.newReceipt(id);
    const token = (receipt && repeatable?.tokenOf(receipt)) ?? newOwnerToken();
    try {
      const [asset] = await this.run({ ...write(token), ...(receipt && { receipt }) }, request);
      return { asset: asset as Asset, token };
    } catch (error) {
      if (!(error instanceof AlreadyDone) || repeatable === undefined) throw error;
      const first = repeatable.tokenOf(error.receipt);
      return { asset: await again(error.receipt, first), token: first };
    }
  }

  /** Keeps a transfer code of an asset, which stays as it is. @throws ApiError as `run` */
  async storeTransferCode(write: AssetWrite, code: NewTransferCode, request: WriteRequest): Promise<void> {
    await this.ledger.storeTransferCode(operationOf(write, request), code);
  }
}

function operationOf(
  { bodyBytes = 0, decide, ...write }: AssetWrite,
  { caller, permission: { account } }: WriteRequest,
): Operation {
  const { requestId, waitedMs, heldBytes } = caller;
  return {
    ...write,
    author: { account: account.name, requestId },
    bytes: BYTES_BESIDE_BODIES + heldBytes + bodyBytes,
    waitedMs,
    waiter: caller,
    decide: (current, beside) => {
      checkNotDone(beside.receipt, write.receipt);
      return decide(current, beside);
    },
  };
}

/** @throws AlreadyDone, ApiError 422 where the key came with another request */
function checkNotDone(kept: Receipt | undefined, receipt: Operation['receipt']): void {
  if (kept === undefined || receipt === undefined) return;
  checkSameBody(kept, receipt);
  throw new AlreadyDone(kept);
}
