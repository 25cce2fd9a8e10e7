import { type LogFiles, NotFound } from 'asset-registry-client';
import { entriesOf, LogError, hashesOf, type Tile, TILE_WIDTH } from 'asset-registry-tlog';
import { LogRefuted, refuting } from './refuted.js';

/** The files and pages of a log. */
export interface LogSource extends Pick<LogFiles, 'identity' | 'checkpoint' | 'tile' | 'bundle' | 'page'> {
  of(origin: string): LogSource;
}

/** The entries of one tile, with their hashes. */
export interface LoggedTile {
  tile: Tile;
  hashes: Buffer[];
  entries: Buffer[];
}

/** Wraps a source so that malformed files refute the log. */
export function refutingSource(files: LogSource): LogSource {
  return {
    of: (origin) => refutingSource(files.of(origin)),
    identity: (...args) => refuting(() => files.identity(...args)),
    checkpoint: (...args) => files.checkpoint(...args),
    tile: (...args) => files.tile(...args),
    bundle: (...args) => files.bundle(...args),
    page: (...args) => refuting(() => files.page(...args)),
  };
}

const MAX_CONCURRENT = 8;

/** @throws LogRefuted if they are missing or malformed */
export function hashesAt(source: LogSource, tile: Tile): Promise<Buffer[]> {
  return served(tile, 'hashes', async () => hashesOf(await source.tile(tile), tile));
}

/** The entries of a tile with their hashes. @throws LogRefuted as `hashesAt` */
export async function readLoggedTile(source: LogSource, tile: Tile): Promise<LoggedTile> {
  const bundle = served(tile, 'entries', async () => entriesOf(await source.bundle(tile), tile));
  const [hashes, entries] = await Promise.all([hashesAt(source, tile), bundle]);
  return { tile, hashes, entries };
}

/** Fetches items concurrently, and yields the results in order. */
export async function* inOrder<T, R>(items: Iterable<T>, fetch: (item: T) => Promise<R>): AsyncGenerator<R> {
  const waiting: Promise<R>[] = [];
  for (const item of items) {
    const fetched = fetch(item);
    // Its error is thrown when it is awaited.
    fetched.catch(() => undefined);
    waiting.push(fetched);
    if (waiting.length >= MAX_CONCURRENT) yield (await waiting.shift()) as R;
  }
  for (const fetched of waiting) yield await fetched;
}

async function served<T>({ number, level, width }: Tile, what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof NotFound || error instanceof LogError)) throw error;
    const [first, each] = [number * TILE_WIDTH ** (level + 1), TILE_WIDTH ** level];
    throw new LogRefuted(
      `The ${what} of the log at places ${first} to ${first + width * each - 1} are missing or malformed: ${error.message}`,
      first,
      { cause: error },
    );
  }
}
