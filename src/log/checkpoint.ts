import { type Checkpoint, LogError, readCheckpoint } from '#tlog';

/** What was signed last, with the signed note. */
export interface KeptCheckpoint extends Checkpoint {
  note: string;
}

/**
 * Reads a checkpoint that was signed here and kept.
 * @param note null before the first
 * @returns undefined where there is none, or it cannot be read because somebody has changed it: then the log is signed again
 */
export function keptCheckpoint(note: string | null): KeptCheckpoint | undefined {
  if (note === null) return undefined;
  try {
    return { ...readCheckpoint(note), note };
  } catch (error) {
    if (error instanceof LogError) return undefined;
    throw error;
  }
}
