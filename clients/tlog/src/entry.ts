import { isBound } from './commitment.js';
import { LogError } from './log-error.js';
import type { Opening } from './opened-state.js';

export interface LogEntry {
  /** The asset's id. */
  id: string;
  /** UTC with six decimals, like `dateModified`. */
  date: string;
  dateModified: string;
  /** Base64; null if the stored state was damaged before it was logged. */
  commitment: string | null;
}

/** The result of `faultOf` for an entry without a commitment that is otherwise right. */
export const NO_COMMITMENT = 'the entry has no commitment';

const ID = /^[0-9a-f]{32}$/;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})(Z|[+-]\d\d:\d\d)$/;
const US_PER_MS = 1_000;

/** @throws LogError for any text that the registry would not write */
export function readEntry(text: string): LogEntry {
  const { id, date, dateModified, commitment } = parsed(text);
  const isRight = ID.test(String(id)) && UTC.test(String(date)) && UTC.test(String(dateModified));
  // The canonical text is required, so that an entry cannot contain further members.
  if (!isRight || JSON.stringify({ id, date, dateModified, commitment }) !== text)
    throw new LogError(`This is not an entry: ${text.slice(0, 200)}`);
  return { id, date, dateModified, commitment } as LogEntry;
}

/** Parses an instant of an entry or an asset. @returns microseconds since 1970 UTC; NaN for another text */
export function instantUs(text: string): number {
  const [, seconds, fraction, zone] = INSTANT.exec(text) ?? [];
  return seconds === undefined ? NaN : Date.parse(`${seconds}${zone}`) * US_PER_MS + Number(fraction);
}

/**
 * Compares an asset with its entry.
 * @param asset as the registry prints it, in its current state or an earlier one
 * @returns a description of the first difference, if any
 */
export function faultOf(
  asset: Readonly<Record<string, unknown>>,
  entry: LogEntry,
  opening: Opening | null,
): string | undefined {
  if (asset['id'] !== entry.id) return 'it has another id';
  for (const name of ['date', 'dateModified'] as const)
    if (instantUs(String(asset[name])) !== instantUs(entry[name])) return `it has another ${name}`;
  if (entry.commitment === null) return NO_COMMITMENT;
  if (opening === null || !isOpening(opening)) return 'it has no valid opening of the commitment';
  const unlisted = 'erased' in opening ? unlistedErasure(asset, entry, Object.keys(opening.erased)) : undefined;
  if (unlisted !== undefined) return `${unlisted} is missing, and it is not listed as erased later`;
  return isBound(asset, opening, entry.commitment) ? undefined : 'it is not what the commitment binds';
}

/** An erasure listed in an asset's `redacted`. */
export interface ListedErasure {
  pointer: string;
  reason: string;
  /** Microseconds since 1970 UTC; NaN if `at` is not an instant. */
  us: number;
}

/** All erasures that an asset lists. */
export function listedErasures({ redacted }: Readonly<Record<string, unknown>>): ListedErasure[] {
  const listed = (Array.isArray(redacted) ? redacted : []).map((one) => Object(one) as Record<string, unknown>);
  return listed.map(({ pointer, reason, at }) => ({
    pointer: String(pointer),
    reason: String(reason),
    us: instantUs(String(at)),
  }));
}

/** The listed erasures after the state. They have the instants of later entries of the asset, except those that a restore repeated. */
export function laterErasures(asset: Readonly<Record<string, unknown>>, entry: LogEntry): ListedErasure[] {
  return listedErasures(asset).filter(({ us }) => us > instantUs(entry.dateModified));
}

/** Pointers of the erasure that created the state: it lists everything that it erased from earlier states. */
export function ownErasures(asset: Readonly<Record<string, unknown>>, entry: LogEntry): Set<string> {
  const us = instantUs(entry.dateModified);
  return new Set(
    listedErasures(asset)
      .filter((erasure) => erasure.us === us)
      .map(({ pointer }) => pointer),
  );
}

/** @returns an erased pointer that is not listed with a later instant */
function unlistedErasure(asset: Readonly<Record<string, unknown>>, entry: LogEntry, erased: readonly string[]) {
  const listed = new Set(laterErasures(asset, entry).map(({ pointer }) => pointer));
  return erased.find((pointer) => !listed.has(pointer));
}

function isOpening(opening: unknown): opening is Opening {
  const { secret, secrets, erased } = Object(opening) as Record<string, unknown>;
  if (typeof secret === 'string') return secrets === undefined && erased === undefined;
  return (
    secret === undefined &&
    Array.isArray(secrets) &&
    isTextRecord(secrets) &&
    !Array.isArray(erased) &&
    isTextRecord(erased)
  );
}

function isTextRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
