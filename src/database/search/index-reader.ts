import { workerData } from 'node:worker_threads';
import Sqlite from 'embedded-sqlite';
import type { FoundPage, AtPosition, QueryTotals, ReaderRequest, Totals } from './index-answers.ts';
import { IndexFile } from './index-file.ts';
import { IndexSearch } from './index-search.ts';
import { IndexStatistics } from './index-statistics.ts';
import type { IndexThreadData } from './index-thread.ts';
import { IndexTotals } from './index-totals.ts';
import type { IndexPosition } from './indexed-asset.ts';
import { CountCache } from './count-cache.ts';
import { serve } from './thread-port.ts';

/* The program of a reader thread of the index. Each answer comes from one read transaction. */

/** How long to wait for another process's lock. */
const BUSY_MS = 1_000;

const { path } = workerData as IndexThreadData;
let opened: { file: IndexFile; search: IndexSearch; statistics: IndexStatistics; totals: IndexTotals } | undefined;

serve<ReaderRequest>((request) => {
  const index = (opened ??= open());
  return index.file.handle.transaction(() => answer(request, index))();
});

function open(): NonNullable<typeof opened> {
  const file = new IndexFile(new Sqlite(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS }));
  const cache = new CountCache(file);
  const totals = new IndexTotals(file, cache);
  const search = new IndexSearch(file, totals);
  return { file, search, statistics: new IndexStatistics({ file, search, totals, cache }), totals };
}

function answer(
  request: ReaderRequest,
  { file, search, statistics, totals }: NonNullable<typeof opened>,
): AtPosition<FoundPage | QueryTotals | Totals> {
  const [position] = file.rows<IndexPosition>('SELECT epoch, us, from_us AS fromUs FROM state') as [IndexPosition];
  if (request === 'totals') return { position, ...totals.totals(position) };
  if ('count' in request) return { position, ...statistics.count(request.count, position) };
  return { position, ...search.find(request.find, request.page, position) };
}
