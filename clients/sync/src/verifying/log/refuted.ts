import { type LogEntry, LogError, readEntry } from 'asset-registry-tlog';
import { EXIT, SyncError } from '../../sync-error.js';

/** The log, or a state that the registry shows, contradicts its signed or verified past. */
export class LogRefuted extends SyncError {
  /** @param place index of the entry, if there is one */
  constructor(
    message: string,
    readonly place?: number,
    options?: ErrorOptions,
  ) {
    super(message, EXIT.logRefuted, options);
  }
}

/**
 * Converts errors of parsing or verifying the log to a refutation, which ends the verification.
 * @param advice appended to the message
 * @throws LogRefuted instead of a LogError
 */
export async function refuting<T>(read: () => T | Promise<T>, advice = ''): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new LogRefuted(error.message + advice, undefined, { cause: error });
  }
}

/** @param entry undefined if it cannot be parsed */
export function shownEntry(place: number, entry: LogEntry | undefined): string {
  if (entry === undefined) return `the entry at place ${place}`;
  return `the entry at place ${place} (asset ${entry.id}, dateModified ${entry.dateModified})`;
}

/** @returns undefined if the text is not an entry */
export function entryIn(text: string | Buffer | undefined): LogEntry | undefined {
  try {
    return text === undefined ? undefined : readEntry(text.toString());
  } catch {
    return undefined;
  }
}
