import type { VerifiedHead, VerifiedLogStore } from '../../clients/sync/src/copies/log-store.js';
import { LogVerifier, type VerifiedLog } from '../../clients/sync/src/verifying/log/log-verifier.js';
import type { LogSource } from '../../clients/sync/src/verifying/log/source.js';

type Trust = ConstructorParameters<typeof LogVerifier>[2];

/** Verifies a log against its last verified state. @param tilesPerWrite tiles kept at once */
export function verifyAgainst(
  source: LogSource,
  seen: VerifiedLogStore,
  trust: Partial<Trust> = {},
  tilesPerWrite?: number,
): Promise<VerifiedLog | undefined> {
  const whole = { logKeys: [], witnesses: [], acceptRestore: false, ...trust };
  return new LogVerifier(source, seen, whole, () => undefined, tilesPerWrite).run();
}

/** The last verified state of a log, in memory. */
export class MemoryLogStore implements VerifiedLogStore {
  readonly gone: VerifiedHead[] = [];

  constructor(
    public kept?: VerifiedHead,
    public tiles: Map<number, Buffer> = new Map(),
  ) {}

  clone(): MemoryLogStore {
    return new MemoryLogStore(this.kept, new Map(this.tiles));
  }

  async head(): Promise<VerifiedHead | undefined> {
    return this.kept;
  }

  async keep(head: VerifiedHead): Promise<void> {
    this.kept = head;
  }

  async replace(gone: VerifiedHead, head: VerifiedHead): Promise<void> {
    this.gone.push(gone);
    this.kept = head;
  }

  async tile(number: number): Promise<Buffer | undefined> {
    return this.tiles.get(number);
  }

  async storeTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void> {
    for (const [number, hashes] of tiles) this.tiles.set(number, hashes);
  }

  async close(): Promise<void> {
    // No file to close.
  }
}
