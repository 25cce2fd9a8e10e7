import type { VerifiedHead, VerifiedLogStore } from '../../clients/sync/src/copies/log-store.js';
import { LogVerifier, type VerifiedLog } from '../../clients/sync/src/verifying/log/log-verifier.js';
import type { LogSource } from '../../clients/sync/src/verifying/log/source.js';

type Trust = ConstructorParameters<typeof LogVerifier>[2];

/** Verifies a log against its last verified state. @param tilesPerWrite number of tiles written at once */
export function verifyAgainst(
  source: LogSource,
  store: VerifiedLogStore,
  trust: Partial<Trust> = {},
  tilesPerWrite?: number,
): Promise<VerifiedLog | undefined> {
  const whole = { logKeys: [], witnesses: [], acceptRestore: false, ...trust };
  return new LogVerifier(source, store, whole, () => undefined, tilesPerWrite).run();
}

/** The last verified state of a log, in memory. */
export class MemoryLogStore implements VerifiedLogStore {
  readonly archived: VerifiedHead[] = [];

  constructor(
    public stored?: VerifiedHead,
    public tiles: Map<number, Buffer> = new Map(),
  ) {}

  clone(): MemoryLogStore {
    return new MemoryLogStore(this.stored, new Map(this.tiles));
  }

  async head(): Promise<VerifiedHead | undefined> {
    return this.stored;
  }

  async storeHead(head: VerifiedHead): Promise<void> {
    this.stored = head;
  }

  async replace(replaced: VerifiedHead, head: VerifiedHead): Promise<void> {
    this.archived.push(replaced);
    this.stored = head;
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
