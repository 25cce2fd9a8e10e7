/** What a signed checkpoint says (C2SP tlog-checkpoint). */
export interface Checkpoint {
  origin: string;
  size: number;
  /** Base64. */
  root: string;
  /** The signed note itself. */
  note: string;
}

/** The text that is signed. */
export function checkpointText(origin: string, size: number, root: Buffer): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/** @param note as it was signed here */
export function parseCheckpoint(note: string): Checkpoint {
  const [origin = '', size = '', root = ''] = note.split('\n');
  return { origin, size: Number(size), root, note };
}
