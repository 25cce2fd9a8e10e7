/** What a signed checkpoint says (C2SP tlog-checkpoint). */
export interface Checkpoint {
  origin: string;
  /** How many entries. */
  size: number;
  /** Hash of the tree, 32 bytes in base64. */
  root: string;
  /** The signed note itself. */
  note: string;
}

/** The text of a checkpoint, without signatures. @param size how many entries @param root hash of 32 bytes */
export function checkpointText(origin: string, size: number, root: Buffer): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** Reads a checkpoint without checking it. @param note as it was signed here */
export function parseCheckpoint(note: string): Checkpoint {
  const [origin = '', size = '', root = ''] = note.split('\n');
  return { origin, size: Number(size), root, note };
}
