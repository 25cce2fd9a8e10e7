import { DataSet } from '../data-set/data-set.js';
import { prepareRegistry } from '../data-set/write.js';
import { shownProgress } from '../../src/commands/shown-progress.js';
import { ask, type Databases } from '../databases.js';
import type { Figures } from '../figures.js';
import { type Bench, compare } from '../measure.js';
import { startRegistry, type Target } from '../targets.js';
import { type Work, WORKS } from '../works.js';
import { costOf, type DepthRow, type Growth, growthOf } from './results.js';

const GROWING = new Set<Work['kind']>(['read', 'start', 'middle', 'end', 'create', 'change']);
const GROWING_WORKS = WORKS.filter(({ kind, connections }) => GROWING.has(kind) && connections === undefined);

const DEPTHS = ['start', 'middle', 'end'] as const;

/** What the sizes have shown so far. */
export type Found = Pick<Growth, 'starts' | 'sizes' | 'depths'>;

/** The registry alone, on a data set of so many assets. */
export async function startOn(
  databases: Databases,
  size: number,
  env: Record<string, string> = {},
): Promise<Target & { readyMs: number }> {
  const { registry } = await databases.urlsFor(size);
  await prepareRegistry(registry, new DataSet(size), shownProgress());
  return startRegistry(registry, size, env);
}

/**
 * What a request costs on a data set, beside the same on the first one in the same rounds.
 * @param first the registry on the first one; on the same data set this shows what the machine adds
 */
export async function againstSize(
  size: number,
  first: Target,
  databases: Databases,
  bench: Bench,
  found: Found,
  tell: (line: string) => void,
): Promise<void> {
  const target = await startOn(databases, size);
  try {
    found.starts.push({ size, readyMs: target.readyMs });
    tell(`${size} assets: ready after ${Math.round(target.readyMs)} ms`);
    await warmUp(databases, size);
    for (const { id, name, kind, mode } of GROWING_WORKS) {
      const jobs = [first, target].map((one) => ({ target: one, load: { kind, mode } }));
      const [ofFirst, figures] = (await compare(bench, jobs)).medians as [Figures, Figures];
      const row = { size, work: `${id} ${name}`, figures, first: ofFirst };
      found.sizes.push(row);
      tell(
        `${size} assets: ${row.work}, ${costOf(figures).toFixed(0)} µs, ${growthOf(row).toFixed(2)} times the first size`,
      );
    }
    found.depths.push(...(await againstDepth(target, bench, tell)));
  } finally {
    await target.stop();
  }
}

async function againstDepth(target: Target, bench: Bench, tell: (line: string) => void): Promise<DepthRow[]> {
  const { medians } = await compare(
    bench,
    DEPTHS.map((kind) => ({ target, load: { kind, mode: 'closed' } })),
  );
  const [first] = medians as [Figures];
  return DEPTHS.map((depth, i) => {
    const row = { size: target.size, depth, figures: medians[i] as Figures, first };
    tell(`${target.size} assets: page at the ${depth}, ${growthOf(row).toFixed(2)} times the start`);
    return row;
  });
}

/** Reads all of it, as a registry that has run for a while has it in memory as far as it goes. */
async function warmUp(databases: Databases, size: number): Promise<void> {
  const { registry } = await databases.urlsFor(size);
  await ask(registry, 'SELECT SUM(LENGTH(body)) FROM asset');
  await ask(registry, 'SELECT COUNT(feed_us) FROM asset WHERE feed_us > 0');
}
