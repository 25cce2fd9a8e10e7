import type { CopiedDatabase } from '../../database/copy/copied-database.js';
import type { ReapplyRedaction } from '../../database/copy/reapply-redactions.js';
import { retryTransaction } from '../../database/copy/retry-transaction.js';
import type { Redaction } from '../../database/entities/redaction.entity.js';
import {
  type ErasedCurrent,
  invalidateReceipts,
  lockAsset,
  recordRedaction,
  readEntries,
  readStates,
  writeBodies,
  writeErasure,
  writeOpenings,
} from '../../database/repositories/redactions.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import type { Session } from '../../database/connections/session.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';
import { ErasedAsset, type ToldErasure } from './erased-asset.js';
import { checkPointer } from './opened-body.js';

const MAX_IN_REASON = 1_000;
/** Twice what a broker may write. */
const MAX_BYTES = 2 * 1024 * 1024;

export interface RedactionOrder {
  asset: string;
  /** RFC 6901 into the printed asset, with `*` for any item of a list. */
  pointers: readonly string[];
  reason: string;
  /** The name in the audit of whoever has it done. */
  actor: string;
}

interface RedactionReport {
  /** The instant of the change, in microseconds. */
  us: number;
  /** In how many states something was erased. */
  states: number;
  /** How many states were emptied, as they did not match their checksums. */
  unreadable: number;
  /** Pointers to where a text that was erased still stands in a state of the asset. */
  elsewhere: string[];
}

/** What is to be erased is nowhere: it never was, or was erased before. */
export class NothingToEraseError extends Error {}

/** @throws Error with a sentence for what cannot be done, whatever the asset is */
export function checkOrder({ pointers, reason }: Pick<RedactionOrder, 'pointers' | 'reason'>): void {
  for (const pointer of pointers) checkPointer(pointer);
  if (reason.trim() === '' || reason.length > MAX_IN_REASON)
    throw new Error(`A reason has 1 to ${MAX_IN_REASON} characters`);
}

/**
 * Erases fields of an asset in all its states: one change of the feed, in one transaction.
 * @throws NothingToEraseError, or another Error with a sentence; nothing was changed then
 */
export async function redact(
  database: CopiedDatabase,
  order: RedactionOrder,
  time: RegistryTime,
): Promise<RedactionReport> {
  checkOrder(order);
  database.file?.enableSecureDelete();
  return retryTransaction(database, () => redactOnce(database, order, time));
}

async function redactOnce(
  { session, dialect }: CopiedDatabase,
  { asset, pointers, reason, actor }: RedactionOrder,
  time: RegistryTime,
): Promise<RedactionReport> {
  const erased = await surveyed(session, dialect, { asset, pointers }, time);
  if (erased === undefined) throw new Error(`There is no asset ${asset}`);
  checkFound(erased, reason);
  await invalidateReceipts(session, asset);
  const elsewhere = await erased.elsewhere();
  // From here to the commit every writer waits.
  const us = await dialect.advanceClock(session, Date.now() * 1_000, 1);
  const told = { reason, at: time.print(us) };
  const changed = erased.changed(us, told);
  if (Buffer.byteLength(changed.asset.body) > MAX_BYTES)
    throw new Error(
      'The asset would be too large by what it says of the erasure: give a shorter reason, or fewer fields',
    );
  await writeStates(session, erased, changed, told);
  const detail = JSON.stringify({ pointers, reason });
  const audit = { us, subject: asset, actor, action: 'asset.redact' as const, requestId: null, detail };
  await recordRedaction(session, { us, asset, pointers: JSON.stringify(pointers), reason }, audit);
  return { us, states: erased.count, unreadable: erased.unreadable, elsewhere };
}

/** What is to be erased of an asset, which is locked and has its openings written. Undefined where there is no such asset. */
async function surveyed(
  session: Session,
  dialect: Dialect,
  { asset: id, pointers }: Pick<RedactionOrder, 'asset' | 'pointers'>,
  time: RegistryTime,
): Promise<ErasedAsset | undefined> {
  const asset = await lockAsset(session, dialect, id);
  if (asset === undefined) return undefined;
  const entries = await readEntries(session, [asset.modifiedUs]);
  const erased = new ErasedAsset({ asset, entries, read: () => readStates(session, dialect, id) }, pointers, time);
  for await (const openings of erased.survey()) await writeOpenings(session, openings);
  return erased;
}

/** The earlier states first: the one that ends now is none of them yet. */
async function writeStates(
  session: Session,
  erased: ErasedAsset,
  current: ErasedCurrent,
  told: ToldErasure,
): Promise<void> {
  for await (const bodies of erased.bodies(current, told)) await writeBodies(session, bodies);
  await writeErasure(session, current);
}

function checkFound(erased: ErasedAsset, reason: string): void {
  const { unmet, unreadable } = erased;
  // What cannot be read may have it.
  if (unmet.length > 0 && unreadable === 0)
    throw new NothingToEraseError(`No state of the asset has ${unmet.join(', ')}: nothing was changed`);
  if (erased.isIn(reason))
    throw new Error('The reason is public, and has in it what is to be erased: nothing was changed');
}

/** Erases in a database that is restored what was erased after its backup was made. */
export function reapplyRedactionIn(time: RegistryTime): ReapplyRedaction {
  return async (session, dialect, redaction: Redaction) => {
    const { us, asset, reason } = redaction;
    const pointers = JSON.parse(redaction.pointers) as string[];
    const erased = await surveyed(session, dialect, { asset, pointers }, time);
    await recordRedaction(session, redaction);
    if (erased === undefined) return;
    await invalidateReceipts(session, asset);
    if (erased.count + erased.unreadable === 0) return;
    // Where the backup had gone on without it, it is behind what it erases: who verifies demands that.
    const told = { reason, at: time.print(Math.max(us, erased.modifiedUs + 1)) };
    await writeStates(session, erased, erased.inPlace(told), told);
  };
}
