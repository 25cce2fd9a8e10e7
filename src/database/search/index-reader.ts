import { workerData } from 'node:worker_threads';
import Sqlite from 'embedded-sqlite';
import type { FoundPage, OfMoment, QueryTotals, ReaderAsked, Totals } from './index-answers.ts';
import { IndexFile } from './index-file.ts';
import { IndexSearch } from './index-search.ts';
import { IndexStatistics } from './index-statistics.ts';
import type { IndexOrder } from './index-thread.ts';
import { IndexTotals } from './index-totals.ts';
import type { IndexPosition } from './indexed-asset.ts';
import { KeptCounts } from './kept-counts.ts';
import { serve } from './thread-port.ts';

/* The program of a thread that reads the index's file. Each answer is of one moment of it. */

/** For how long another process may hold the file. */
const BUSY_MS = 1_000;

const { path } = workerData as IndexOrder;
let opened: { file: IndexFile; search: IndexSearch; statistics: IndexStatistics; totals: IndexTotals } | undefined;

serve<ReaderAsked>((asked) => {
  const index = (opened ??= open());
  return index.file.handle.transaction(() => answer(asked, index))();
});

function open(): NonNullable<typeof opened> {
  const file = new IndexFile(new Sqlite(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS }));
  const kept = new KeptCounts(file);
  const totals = new IndexTotals(file, kept);
  const search = new IndexSearch(file, totals);
  return { file, search, statistics: new IndexStatistics({ file, search, totals, kept }), totals };
}

function answer(
  asked: ReaderAsked,
  { file, search, statistics, totals }: NonNullable<typeof opened>,
): OfMoment<FoundPage | QueryTotals | Totals> {
  const [position] = file.rows<IndexPosition>('SELECT epoch, us, from_us AS fromUs FROM state') as [IndexPosition];
  if (asked === 'totals') return { position, ...totals.totals(position) };
  if ('count' in asked) return { position, ...statistics.count(asked.count, position) };
  return { position, ...search.find(asked.find, asked.page, position) };
}
