import { openDatabases } from '../databases.js';
import type { PutLoad } from '../load/generators.js';
import { machine } from '../machine.js';
import type { Settings } from '../measure.js';
import { againstConnections } from './connections.js';
import type { Growth } from './results.js';
import { againstSize, type Found, startOn } from './sizes.js';
import { againstWriters } from './writers.js';

const WRITERS = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const IDLE = [0, 10, 100, 1_000, 10_000];

export interface GrowthOptions extends Settings {
  /** Growing; what the first one costs is what the others are compared with. */
  sizes: readonly number[];
  /** Where the data are. */
  folder: string;
}

/** The registry alone, one process, on MariaDB: what its costs grow with. */
export async function growth(options: GrowthOptions, putLoad: PutLoad, tell: (line: string) => void): Promise<Growth> {
  const databases = await openDatabases('mariadb', options.folder);
  const bench = { settings: options, databasePids: databases.pids, putLoad, generators: 1 };
  const found: Found = { starts: [], sizes: [], depths: [] };
  const [firstSize = 0] = options.sizes;
  try {
    const first = await startOn(databases, firstSize);
    for (const size of options.sizes) await againstSize(size, first, databases, bench, found, tell);
    await first.stop();
    const writers = await againstWriters(WRITERS, databases, firstSize, bench, tell);
    const connections = await againstConnections(IDLE, databases, firstSize, bench, tell);
    const when = new Date().toISOString();
    return { kind: 'growth', when, machine: machine(), database: databases.origin, ...found, writers, connections };
  } finally {
    await databases.stop();
  }
}
