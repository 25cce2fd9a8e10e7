import type { Asset } from '../../database/entities/asset.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import { decideAssets } from './decide.js';
import type { LedgerClock } from '../watermarks.js';
import type { LedgerTransaction } from './ledger-store.js';
import { lockOrSkip } from './lock-assets.js';
import type { PendingOperation } from './pending-operation.js';
import { FIXED_BYTES_PER_CHANGE } from './written-rows.js';

export type NewTransferCode = Omit<TransferCode, 'id'>;

/** Another transaction has locked the asset. */
export class AssetLockedError extends Error {}

/**
 * Stores a transfer code and an audit entry. The caller commits.
 * @param pending its operation decides on the locked row whether it is permitted, and changes nothing itself
 * @param mayWait whether to wait for a row that was free at the last attempt
 * @throws AssetLockedError, ApiError the operation's refusal, RetryableError, DatabaseAwayError or the driver's error
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
  const { rows, lockedElsewhere } = await lockOrSkip([pending], transaction, mayWait);
  if (lockedElsewhere.size > 0) {
    pending.backOff(lockedElsewhere);
    throw new AssetLockedError();
  }
  const asset = rows.get(id);
  decideAssets(operation, [asset], {});
  const { account: actor, requestId } = author;
  const us = clock.timeUs();
  const audit = { us, subject: id, actor, action: 'transfer.code', requestId, detail: '{}' } as const;
  const stored = { account: actor, day: clock.dayOf(us), bytes: FIXED_BYTES_PER_CHANGE };
  await transaction.storeTransferCode({ id, ...code }, audit, stored);
  return [asset as Asset];
}
