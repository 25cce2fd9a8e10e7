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
import { ErasedAsset, type ErasureNote } from './erased-asset.js';
import { checkPointer } from './opened-body.js';

const MAX_REASON_LENGTH = 1_000;
/** Twice the limit for brokers. */
const MAX_ERASED_ASSET_BYTES = 2 * 1024 * 1024;

export interface RedactionRequest {
  asset: string;
  /** JSON pointers (RFC 6901) into the printed asset, with `*` for any item of a list. */
  pointers: readonly string[];
  reason: string;
  /** Name of the operator, for the audit. */
  actor: string;
}

interface RedactionReport {
  /** The instant of the change, in microseconds. */
  us: number;
  /** Number of states in which something was erased. */
  states: number;
  /** Number of states that were emptied because they did not match their checksums. */
  unreadable: number;
  /** Pointers to fields that still contain an erased text, in any state of the asset. */
  elsewhere: string[];
}

/** No state has the fields: they never existed, or were erased before. */
export class NothingToEraseError extends Error {}

/** Checks a request without its asset. @throws Error with a sentence */
export function checkRequest({ pointers, reason }: Pick<RedactionRequest, 'pointers' | 'reason'>): void {
  for (const pointer of pointers) checkPointer(pointer);
  if (reason.trim() === '' || reason.length > MAX_REASON_LENGTH)
    throw new Error(`A reason has 1 to ${MAX_REASON_LENGTH} characters`);
}

/**
 * Erases fields of an asset in all its states: one change of the feed, in one transaction.
 * @throws NothingToEraseError, or another Error with a sentence; then nothing was changed
 */
export async function redact(
  database: CopiedDatabase,
  request: RedactionRequest,
  time: RegistryTime,
): Promise<RedactionReport> {
  checkRequest(request);
  database.file?.enableSecureDelete();
  return retryTransaction(database, () => redactOnce(database, request, time));
}

async function redactOnce(
  { session, dialect }: CopiedDatabase,
  { asset, pointers, reason, actor }: RedactionRequest,
  time: RegistryTime,
): Promise<RedactionReport> {
  const erased = await surveyAsset(session, dialect, { asset, pointers }, time);
  if (erased === undefined) throw new Error(`There is no asset ${asset}`);
  checkFound(erased, reason);
  await invalidateReceipts(session, asset);
  const elsewhere = await erased.elsewhere();
  // From here to the commit all other writers wait.
  const us = await dialect.advanceClock(session, Date.now() * 1_000, 1);
  const note = { reason, at: time.print(us) };
  const changed = erased.changed(us, note);
  if (Buffer.byteLength(changed.asset.body) > MAX_ERASED_ASSET_BYTES)
    throw new Error('The list of erasures would make the asset too large: give a shorter reason, or fewer fields');
  await writeStates(session, erased, changed, note);
  const detail = JSON.stringify({ pointers, reason });
  const audit = { us, subject: asset, actor, action: 'asset.redact' as const, requestId: null, detail };
  await recordRedaction(session, { us, asset, pointers: JSON.stringify(pointers), reason }, audit);
  return { us, states: erased.count, unreadable: erased.unreadable, elsewhere };
}

/** Locks an asset, finds the fields to erase and writes the openings of its log entries. @returns undefined if there is no such asset */
async function surveyAsset(
  session: Session,
  dialect: Dialect,
  { asset: id, pointers }: Pick<RedactionRequest, 'asset' | 'pointers'>,
  time: RegistryTime,
): Promise<ErasedAsset | undefined> {
  const asset = await lockAsset(session, dialect, id);
  if (asset === undefined) return undefined;
  const entries = await readEntries(session, [asset.modifiedUs]);
  const erased = new ErasedAsset({ asset, entries, read: () => readStates(session, dialect, id) }, pointers, time);
  for await (const openings of erased.survey()) await writeOpenings(session, openings);
  return erased;
}

/** Writes the earlier states first, because the current state is not yet one of them. */
async function writeStates(
  session: Session,
  erased: ErasedAsset,
  current: ErasedCurrent,
  note: ErasureNote,
): Promise<void> {
  for await (const bodies of erased.bodies(current, note)) await writeBodies(session, bodies);
  await writeErasure(session, current);
}

function checkFound(erased: ErasedAsset, reason: string): void {
  const { unmatched, unreadable } = erased;
  // An unreadable state may have the fields.
  if (unmatched.length > 0 && unreadable === 0)
    throw new NothingToEraseError(`No state of the asset has ${unmatched.join(', ')}: nothing was changed`);
  if (erased.hasErasedText(reason))
    throw new Error('The reason is public and contains an erased text: nothing was changed');
}

/** @returns the function that repeats, in a restored database, an erasure that is later than its backup */
export function reapplyRedactionIn(time: RegistryTime): ReapplyRedaction {
  return async (session, dialect, redaction: Redaction) => {
    const { us, asset, reason } = redaction;
    const pointers = JSON.parse(redaction.pointers) as string[];
    const erased = await surveyAsset(session, dialect, { asset, pointers }, time);
    await recordRedaction(session, redaction);
    if (erased === undefined) return;
    await invalidateReceipts(session, asset);
    if (erased.count + erased.unreadable === 0) return;
    // Later than every erased state, as verifiers of the log require, even if the state is newer than the original erasure.
    const note = { reason, at: time.print(Math.max(us, erased.modifiedUs + 1)) };
    await writeStates(session, erased, erased.inPlace(note), note);
  };
}
