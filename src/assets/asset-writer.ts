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

const OVERHEAD_BYTES = 200;

/** A write of assets. Caller and permission are in the WriteRequest. */
export interface AssetWrite extends Pick<
  Operation,
  'ids' | 'creates' | 'decide' | 'refuse' | 'usesCode' | 'readBytes' | 'receipt'
> {
  /** Bytes of the bodies that it writes, in addition to the request's body. */
  bodyBytes?: number;
}

/** An asset with its owner token, which is shown only once. */
export interface OwnedAsset {
  asset: AnyAsset<AnyText>;
  token: string;
}

/** A POST that issues an owner token. With an Idempotency-Key it runs once. */
interface TokenWrite {
  /** Id of the asset that it creates or changes. */
  id: string;
  /** @returns the write that stores this owner token */
  write: (token: string) => AssetWrite;
  /** @returns the asset of the first answer */
  repeat: (receipt: Receipt, token: string) => Promise<AnyAsset<AnyText>>;
}

/** Runs the writes of requests: in the ledger, or as dry runs. */
@Injectable()
export class AssetWriter {
  constructor(
    private readonly ledger: Ledger,
    private readonly dryRuns: DryRuns,
  ) {}

  /**
   * @returns the assets after the commit, in the order of the ids; for a dry run, as they would be
   * @throws ApiError of `decide`, 503
   */
  run(write: AssetWrite, request: WriteRequest): Promise<Asset[]> {
    const operation = operationOf(write, request);
    return request.isDryRun ? this.dryRuns.submit(operation, request.caller) : this.ledger.submit(operation);
  }

  /** @throws ApiError as `run`, and 422 if the Idempotency-Key was used with another request */
  async runOnce({ id, write, repeat }: TokenWrite, request: WriteRequest): Promise<OwnedAsset> {
    const { repeatable } = request;
    const receipt = repeatable?.newReceipt(id);
    const token = (receipt && repeatable?.tokenOf(receipt)) ?? newOwnerToken();
    try {
      const [asset] = await this.run({ ...write(token), ...(receipt && { receipt }) }, request);
      return { asset: asset as Asset, token };
    } catch (error) {
      if (!(error instanceof AlreadyDone) || repeatable === undefined) throw error;
      const first = repeatable.tokenOf(error.receipt);
      return { asset: await repeat(error.receipt, first), token: first };
    }
  }

  /** Stores a transfer code; the asset does not change. @throws ApiError as `run` */
  async storeTransferCode(write: AssetWrite, code: NewTransferCode, request: WriteRequest): Promise<void> {
    await this.ledger.storeTransferCode(operationOf(write, request), code);
  }
}

function operationOf(
  { bodyBytes = 0, decide, ...write }: AssetWrite,
  { caller, permission: { account } }: WriteRequest,
): Operation {
  const { requestId, waitedMs, bodyMemoryBytes } = caller;
  return {
    ...write,
    author: { account: account.name, requestId },
    bytes: OVERHEAD_BYTES + bodyMemoryBytes + bodyBytes,
    waitedMs,
    waiter: caller,
    decide: (current, context) => {
      checkNotDone(context.receipt, write.receipt);
      return decide(current, context);
    },
  };
}

/** @throws AlreadyDone, ApiError 422 if the Idempotency-Key was used with another request */
function checkNotDone(earlier: Receipt | undefined, receipt: Operation['receipt']): void {
  if (earlier === undefined || receipt === undefined) return;
  checkSameBody(earlier, receipt);
  throw new AlreadyDone(earlier);
}
