import type { Asset } from '../../database/entities/asset.entity.js';
import type { TransferCode } from '../../database/entities/transfer-code.entity.js';
import type { LedgerTransaction } from './ledger-store.js';
import type { Operation } from './operation.js';

/** A transfer code that shall be kept. */
export type NewCode = Omit<TransferCode, 'id'>;

/**
 * Keeps a transfer code, with a line in the audit, in a transaction that is not committed yet.
 * @param operation decides on the locked row whether it may be, and changes nothing itself
 * @param us the time, in microseconds
 * @throws ApiError what the operation refuses with, RetryableError, DatabaseAwayError or the driver's error
 */
export async function keepCode(
  operation: Operation,
  code: NewCode,
  transaction: LedgerTransaction,
  us: number,
): Promise<Asset[]> {
  const { author } = operation;
  const [id] = operation.ids as [string];
  const asset = (await transaction.lockAssets([id])).get(id);
  operation.decide(asset, { place: 0 });
  const { account: actor, requestId } = author;
  const audit = { us, subject: id, actor, action: 'transfer.code', requestId, detail: '{}' } as const;
  await transaction.keepCode({ id, ...code }, audit);
  return [asset as Asset];
}
