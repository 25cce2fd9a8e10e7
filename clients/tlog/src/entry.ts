import { isBound } from './commitment.js';
import { LogError } from './log-error.js';
import type { Opening } from './opened-state.js';

/** What an entry of the log says. */
export interface LogEntry {
  /** Of the asset. */
  id: string;
  /** Instants in UTC with six digits. */
  date: string;
  dateModified: string;
  /** Base64; null where the state was damaged before its turn came. */
  commitment: string | null;
}

/** What is told of an entry without a commitment, where all else is right. */
export const BINDS_NOTHING = 'the entry binds nothing';

const ID = /^[0-9a-f]{32}$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})(Z|[+-]\d\d:\d\d)$/;
const US_PER_MS = 1_000;

/** @throws LogError for what is not written as the registry writes an entry */
export function readEntry(text: string): LogEntry {
  const { id, date, dateModified, commitment } = parsed(text);
  const isRight = ID.test(String(id)) && UTC.test(String(date)) && UTC.test(String(dateModified));
  // Nobody can hide a further member, or write the same in another way.
  if (!isRight || JSON.stringify({ id, date, dateModified, commitment }) !== text)
    throw new LogError(`This is no entry: ${text.slice(0, 200)}`);
  return { id, date, dateModified, commitment } as LogEntry;
}

/** An instant of an entry or of an asset, in microseconds since 1970 UTC; NaN for another text. */
export function instantUs(text: string): number {
  const [, seconds, fraction, zone] = INSTANT.exec(text) ?? [];
  return seconds === undefined ? NaN : Date.parse(`${seconds}${zone}`) * US_PER_MS + Number(fraction);
}

/**
 * What of an asset is not what an entry binds, for people; undefined where all of it is.
 * @param asset as the registry prints it: the current one, or one of its past
 */
export function faultOf(
  asset: Readonly<Record<string, unknown>>,
  entry: LogEntry,
  opening: Opening | null,
): string | undefined {
  if (asset['id'] !== entry.id) return 'it has another id';
  for (const name of ['date', 'dateModified'] as const)
    if (instantUs(String(asset[name])) !== instantUs(entry[name])) return `it has another ${name}`;
  if (entry.commitment === null) return BINDS_NOTHING;
  if (opening === null || !isOpening(opening)) return 'there is nothing that opens the commitment';
  const untold = 'erased' in opening ? untoldErasure(asset, entry, Object.keys(opening.erased)) : undefined;
  if (untold !== undefined) return `${untold} is gone, and it does not say that it was erased later`;
  return isBound(asset, opening, entry.commitment) ? undefined : 'it is not what the commitment binds';
}

/** What an asset says was erased of it: a pointer, why, and the instant in microseconds since 1970 UTC. */
export interface ToldErasure {
  pointer: string;
  reason: string;
  /** NaN for what is no instant. */
  us: number;
}

/** Whatever an asset says was erased of it. */
export function toldErasures({ redacted }: Readonly<Record<string, unknown>>): ToldErasure[] {
  const told = (Array.isArray(redacted) ? redacted : []).map((one) => Object(one) as Record<string, unknown>);
  return told.map(({ pointer, reason, at }) => ({
    pointer: String(pointer),
    reason: String(reason),
    us: instantUs(String(at)),
  }));
}

/** What a state says was erased of it later: at the instants of later entries of the same asset, but for what a restore erased again. */
export function laterErasures(asset: Readonly<Record<string, unknown>>, entry: LogEntry): ToldErasure[] {
  return toldErasures(asset).filter(({ us }) => us > instantUs(entry.dateModified));
}

/** Pointers to what a state says was erased at its own instant: to erase made this state, which names all that was erased of earlier ones. */
export function ownErasures(asset: Readonly<Record<string, unknown>>, entry: LogEntry): Set<string> {
  const us = instantUs(entry.dateModified);
  return new Set(
    toldErasures(asset)
      .filter((told) => told.us === us)
      .map(({ pointer }) => pointer),
  );
}

/** @returns a pointer that no `redacted` of a later instant names */
function untoldErasure(asset: Readonly<Record<string, unknown>>, entry: LogEntry, erased: readonly string[]) {
  const told = new Set(laterErasures(asset, entry).map(({ pointer }) => pointer));
  return erased.find((gone) => !told.has(gone));
}

function isOpening(opening: unknown): opening is Opening {
  const { secret, secrets, erased } = Object(opening) as Record<string, unknown>;
  if (typeof secret === 'string') return secrets === undefined && erased === undefined;
  return (
    secret === undefined && Array.isArray(secrets) && isTexts(secrets) && !Array.isArray(erased) && isTexts(erased)
  );
}

function isTexts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
