import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { workerData } from 'node:worker_threads';
import Sqlite from 'embedded-sqlite';
import { WRITTEN_BY_ITS_OWNER_ALONE } from '../files/folders.ts';
import { makePrivate } from '../files/private-file.ts';
import { IndexEntries } from './index-entries.ts';
import { IndexFile } from './index-file.ts';
import { makeTables, wholeVersion } from './index-tables.ts';
import type { IndexOrder } from './index-thread.ts';
import type { IndexedPart, IndexPosition } from './indexed-asset.ts';
import { serve } from './thread-port.ts';

/* The program of the thread that writes the index's file. */

/** What it is asked: where the index is; to empty it for another history; to take in a part of the feed. */
export type WriterAsked = 'position' | { empty: { from: IndexPosition; epoch: string } } | { add: IndexedPart };

/** For how long another process may write. */
const BUSY_MS = 1_000;

const { path, version } = workerData as IndexOrder;
let handle: Sqlite.Database | undefined;
let entries: IndexEntries | undefined;

serve<WriterAsked>((asked) => {
  entries ??= open();
  if (asked === 'position') return entries.position();
  return 'add' in asked ? entries.add(asked.add) : entries.empty(asked.empty.from, asked.empty.epoch);
});

/** @throws an error of SQLite's, or where the file is none of ours */
function open(): IndexEntries {
  // One folder only: Node would try for ever to make several below /proc (folders.ts).
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), WRITTEN_BY_ITS_OWNER_ALONE);
  makePrivate(path);
  handle?.close();
  handle = new Sqlite(path, { timeout: BUSY_MS });
  makeTables(handle, wholeVersion(version));
  return new IndexEntries(new IndexFile(handle), wholeVersion(version));
}
