import { type Checkpoint, LogError, readCheckpoint } from '#tlog';

/** The last signed checkpoint, with its note. */
export interface StoredCheckpoint extends Checkpoint {
  note: string;
}

/**
 * Reads the stored checkpoint.
 * @param note null before the first
 * @returns undefined if it is missing, or was tampered with and is not readable: then the log is signed again
 */
export function storedCheckpoint(note: string | null): StoredCheckpoint | undefined {
  if (note === null) return undefined;
  try {
    return { ...readCheckpoint(note), note };
  } catch (error) {
    if (error instanceof LogError) return undefined;
    throw error;
  }
}
