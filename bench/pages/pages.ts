import { setTimeout as sleep } from 'node:timers/promises';
import { TEXTS } from '../../src/pages/texts.js';
import { sendTo } from '../../test/support/registry.js';
import type { Databases } from '../databases.js';
import { DataSet } from '../data-set/data-set.js';
import type { Figures } from '../figures.js';
import { startOn } from '../growth/sizes.js';
import type { PutLoad } from '../load/generators.js';
import { type RequestKind, requestsOf } from '../load/requests.js';
import { compare, type Settings } from '../measure.js';
import { indexIn } from '../search/building.js';

export interface PagesOptions extends Omit<Settings, 'connections'> {
  size: number;
  /** That ask at the same time; all is measured with each of these numbers. */
  connections: readonly number[];
  /** Where the search index is. */
  folder: string;
}

export interface PageRow {
  name: string;
  connections: number;
  /** Times are those until the whole answer is there: no less than those of the first byte. */
  figures: Figures;
  /** Of the JSON read in the same rounds. */
  read: Figures;
  /** Of the largest of those that were looked at. */
  bytes: number;
}

const KINDS = {
  'asset as JSON': 'read',
  '/': 'home',
  'page of an asset': 'asset page',
  'page of a search': 'search page',
  'search as JSON': 'search',
  'the same with facets': 'facets',
  statistics: 'statistics',
} as const satisfies Record<string, RequestKind>;
const LOOKED_AT = 100;
const SEED = 1;
const INDEX_POLL_MS = 250;

/** Each kind of page in turn with a read of JSON, on a registry of one process. */
export async function againstRead(
  databases: Databases,
  { size, connections, rounds, ms, folder }: PagesOptions,
  putLoad: PutLoad,
): Promise<PageRow[]> {
  const target = await startOn(databases, size, {
    SEARCH_INDEX: indexIn(folder, databases.pids.length === 0 ? 'sqlite' : 'mariadb', size),
  });
  const rows: PageRow[] = [];
  try {
    await untilIndexed(target.url);
    const names = Object.keys(KINDS) as (keyof typeof KINDS)[];
    const bytes = await Promise.all(names.map((name) => largestOf(target.url, KINDS[name], new DataSet(size))));
    for (const count of connections) {
      const settings = { rounds, ms, connections: count };
      const bench = { settings, databasePids: databases.pids, putLoad, generators: 1 };
      const jobs = names.map((name) => ({ target, load: { kind: KINDS[name], mode: 'closed' } as const }));
      const { medians } = await compare(bench, jobs);
      const [read] = medians as [Figures];
      names.forEach((name, i) =>
        rows.push({ name, connections: count, figures: medians[i] as Figures, read, bytes: bytes[i] as number }),
      );
    }
  } finally {
    await target.stop();
  }
  return rows;
}

/** A search says on its page while it does not know everything yet. */
async function untilIndexed(url: string): Promise<void> {
  while ((await sendTo(url, '/?q=x&lang=en')).text.includes(TEXTS.en.indexing)) await sleep(INDEX_POLL_MS);
}

async function largestOf(url: string, kind: RequestKind, dataSet: DataSet): Promise<number> {
  const next = requestsOf(kind, dataSet, SEED);
  let largest = 0;
  for (let i = 0; i < LOOKED_AT; i++) {
    const path = next().split(' ')[1] as string;
    const { status, text } = await sendTo(url, path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    largest = Math.max(largest, Buffer.byteLength(text));
  }
  return largest;
}
