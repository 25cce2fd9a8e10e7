import type { SeenHead, SeenLog } from '../../clients/sync/src/copies/seen-log.js';
import { LogVerifier, type VerifiedLog } from '../../clients/sync/src/verifying/log/log-verifier.js';
import type { LogSource } from '../../clients/sync/src/verifying/log/source.js';

type Trust = ConstructorParameters<typeof LogVerifier>[2];

/** Verifies a log against its last verified state. @param tilesTogether tiles kept at once */
export function verifySeen(
  source: LogSource,
  seen: SeenLog,
  trust: Partial<Trust> = {},
  tilesTogether?: number,
): Promise<VerifiedLog | undefined> {
  const whole = { logKeys: [], witnesses: [], acceptRestore: false, ...trust };
  return new LogVerifier(source, seen, whole, () => undefined, tilesTogether).run();
}

/** The last verified state of a log, in memory. */
export class SeenInMemory implements SeenLog {
  readonly gone: SeenHead[] = [];

  constructor(
    public kept?: SeenHead,
    public tiles: Map<number, Buffer> = new Map(),
  ) {}

  clone(): SeenInMemory {
    return new SeenInMemory(this.kept, new Map(this.tiles));
  }

  async head(): Promise<SeenHead | undefined> {
    return this.kept;
  }

  async keep(head: SeenHead): Promise<void> {
    this.kept = head;
  }

  async replace(gone: SeenHead, head: SeenHead): Promise<void> {
    this.gone.push(gone);
    this.kept = head;
  }

  async tile(number: number): Promise<Buffer | undefined> {
    return this.tiles.get(number);
  }

  async keepTiles(tiles: ReadonlyMap<number, Buffer>): Promise<void> {
    for (const [number, hashes] of tiles) this.tiles.set(number, hashes);
  }

  async close(): Promise<void> {
    // No file to close.
  }
}
