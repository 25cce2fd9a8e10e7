import { type LogEntry, LogError, readEntry } from 'asset-registry-tlog';
import { EXIT, SyncError } from '../../sync-error.js';

/** The log, or what the registry shows, is not what it has been or ought to be. */
export class LogRefuted extends SyncError {
  /** @param place of the entry, where there is one */
  constructor(
    message: string,
    readonly place?: number,
    options?: ErrorOptions,
  ) {
    super(message, EXIT.logRefuted, options);
  }
}

/**
 * What the log says and does not hold, or cannot be read, ends the verification.
 * @param advice follows what is wrong
 * @throws LogRefuted in the place of a LogError
 */
export async function refuting<T>(read: () => T | Promise<T>, advice = ''): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new LogRefuted(error.message + advice, undefined, { cause: error });
  }
}

/** @param entry undefined where it cannot be read */
export function shownEntry(place: number, entry: LogEntry | undefined): string {
  if (entry === undefined) return `the entry at place ${place}`;
  return `the entry at place ${place} (asset ${entry.id}, dateModified ${entry.dateModified})`;
}

/** @returns undefined for what is no entry */
export function entryIn(text: string | Buffer | undefined): LogEntry | undefined {
  try {
    return text === undefined ? undefined : readEntry(text.toString());
  } catch {
    return undefined;
  }
}
