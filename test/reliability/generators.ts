import { fork } from 'node:child_process';
import { once } from 'node:events';
import { emptyResult, type LoadPlan, type LoadResult, runClosedLoad } from './closed-load.js';

/** The word on the command line that makes a process a generator. */
export const GENERATOR = 'generator';

/** Runs a load from several processes, each with its share of the connections. @returns the sum; `cpuShare` is the busiest one's */
export async function runFromProcesses(plan: LoadPlan, processes: number): Promise<LoadResult> {
  const shares = Array.from({ length: processes }, (_, i) => Math.floor((plan.connections + i) / processes));
  const busy = shares.filter((connections) => connections > 0);
  const results = await Promise.all(busy.map((connections) => runInChild({ ...plan, connections })));
  return results.reduce(sum, emptyResult());
}

/** What a generator process does: one plan comes, one result goes. */
export function generate(): void {
  process.once('message', (plan: LoadPlan) => {
    void runClosedLoad(plan).then((result) => process.send?.(result, () => process.disconnect()));
  });
}

async function runInChild(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(process.argv[1] as string, [GENERATOR]);
  child.send(plan);
  const [result] = (await once(child, 'message')) as [LoadResult];
  return result;
}

function sum(all: LoadResult, one: LoadResult): LoadResult {
  return {
    good: all.good + one.good,
    late: all.late + one.late,
    refused: all.refused + one.refused,
    bad: all.bad + one.bad,
    broken: all.broken + one.broken,
    goodTimes: [...all.goodTimes, ...one.goodTimes],
    refusedTimes: [...all.refusedTimes, ...one.refusedTimes],
    seconds: Math.max(all.seconds, one.seconds),
    cpuShare: Math.max(all.cpuShare, one.cpuShare),
  };
}
