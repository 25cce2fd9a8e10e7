import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { workerData } from 'node:worker_threads';
import Sqlite from 'embedded-sqlite';
import { MODE_OWNER_WRITES } from '../files/folders.ts';
import { ensurePrivateFile } from '../files/private-file.ts';
import { IndexEntries } from './index-entries.ts';
import { IndexFile } from './index-file.ts';
import { createTables, fileVersion } from './index-tables.ts';
import type { IndexThreadData } from './index-thread.ts';
import type { IndexedPart, IndexPosition } from './indexed-asset.ts';
import { serve } from './thread-port.ts';

/* The program of the writer thread of the index. */

/** Return the position; empty the index for another history; apply a part of the feed. */
export type WriterRequest = 'position' | { empty: { from: IndexPosition; epoch: string } } | { add: IndexedPart };

/** How long to wait for another process's write. */
const BUSY_MS = 1_000;

const { path, version } = workerData as IndexThreadData;
let handle: Sqlite.Database | undefined;
let entries: IndexEntries | undefined;

serve<WriterRequest>((request) => {
  entries ??= open();
  if (request === 'position') return entries.position();
  return 'add' in request ? entries.add(request.add) : entries.empty(request.empty.from, request.empty.epoch);
});

/** @throws SQLite's error, or Error if the file is not an index of the registry */
function open(): IndexEntries {
  // Not recursive: Node would retry forever below /proc (folders.ts).
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), MODE_OWNER_WRITES);
  ensurePrivateFile(path);
  handle?.close();
  handle = new Sqlite(path, { timeout: BUSY_MS });
  createTables(handle, fileVersion(version));
  return new IndexEntries(new IndexFile(handle), fileVersion(version));
}
