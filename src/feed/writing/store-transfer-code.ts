import type { Asset } from '../../database/entities/asset.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import { draftsOf } from './decide.js';
import type { LedgerClock } from '../watermarks.js';
import type { LedgerTransaction } from './ledger-store.js';
import { lockOrSkip } from './lock-assets.js';
import type { PendingOperation } from './pending-operation.js';
import { BYTES_BESIDE_BODIES } from './written-rows.js';

export type NewTransferCode = Omit<TransferCode, 'id'>;

/** Another transaction holds the asset. */
export class AssetLockedError extends Error {}

/**
 * Keeps a transfer code, with a line in the audit, in a transaction that is not committed yet.
 * @param pending its operation decides on the locked row whether it may be, and changes nothing itself
 * @param mayWait whether a row is waited for that was free at the last attempt
 * @throws AssetLockedError, ApiError what the operation refuses with, RetryableError, DatabaseAwayError or the driver's error
 */
export async function storeTransferCode(
  pending: PendingOperation,
  code: NewTransferCode,
  transaction: LedgerTransaction,
  { clock }: { clock: Pick<LedgerClock, 'dayOf' | 'timeUs'> },
  mayWait: boolean,
): Promise<Asset[]> {
  const { operation } = pending;
  const { author } = operation;
  const [id] = operation.ids as [string];
  const { rows, held } = await lockOrSkip([pending], transaction, mayWait);
  if (held.size > 0) {
    pending.holdUp(held);
    throw new AssetLockedError();
  }
  const asset = rows.get(id);
  draftsOf(operation, [asset], {});
  const { account: actor, requestId } = author;
  const us = clock.timeUs();
  const audit = { us, subject: id, actor, action: 'transfer.code', requestId, detail: '{}' } as const;
  const stored = { account: actor, day: clock.dayOf(us), bytes: BYTES_BESIDE_BODIES };
  await transaction.storeTransferCode({ id, ...code }, audit, stored);
  return [asset as Asset];
}
