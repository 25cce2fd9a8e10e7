import { findFreePort } from '../../scripts/machine/free-port.js';
import { metricsOf } from '../../test/support/metrics.js';
import type { Databases } from '../databases.js';
import type { Figures } from '../figures.js';
import { type Bench, compare } from '../measure.js';
import type { WriterRow } from './results.js';
import { startOn } from './sizes.js';

/** How many creations share a commit, and how long they take, with more and more connections that create. */
export async function againstWriters(
  counts: readonly number[],
  databases: Databases,
  size: number,
  bench: Bench,
  tell: (line: string) => void,
): Promise<WriterRow[]> {
  const port = await findFreePort();
  const target = await startOn(databases, size, { METRICS_PORT: String(port) });
  const rows: WriterRow[] = [];
  try {
    for (const writers of counts) {
      const before = await batches(port);
      const job = { target, load: { mode: 'closed', kind: 'create' }, connections: writers } as const;
      const [figures] = (await compare(bench, [job])).medians as [Figures];
      const after = await batches(port);
      const batch = (after.changes - before.changes) / (after.count - before.count);
      rows.push({ writers, figures, batch });
      tell(
        `${writers} writers: ${Math.round(figures.perSecond)}/s, ${batch.toFixed(1)} changes a batch, p99 ${figures.p99.toFixed(1)} ms`,
      );
    }
  } finally {
    await target.stop();
  }
  return rows;
}

async function batches(port: number): Promise<{ changes: number; count: number }> {
  const metrics = await metricsOf(`http://127.0.0.1:${port}/metrics`);
  const of = (name: string): number => metrics.get(`registry_ledger_batch_changes_${name}`) ?? 0;
  return { changes: of('sum'), count: of('count') };
}
