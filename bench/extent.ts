import { availableParallelism } from 'node:os';
import { type Work, WORKS } from './works.js';

/** How much a run measures. */
export interface Extent {
  /** Of data sets, in assets. */
  sizes: readonly number[];
  /** How many processes of each server are measured, one after the other; on SQLite it is one. */
  processes: readonly number[];
  works: readonly Work[];
  rounds: number;
  /** Of each measurement. */
  ms: number;
}

export const WHOLE: Extent = {
  sizes: [20_000, 1_000_000],
  processes: [...new Set([1, availableParallelism()])],
  works: WORKS,
  rounds: 3,
  ms: 3_000,
};

/** Ends within five minutes on two cores, the build and Fastify included. */
export const QUICK: Extent = {
  sizes: [20_000],
  processes: [1],
  works: WORKS.filter(({ isQuick }) => isQuick),
  rounds: 2,
  ms: 1_000,
};

const NUMBER = new Intl.NumberFormat('en');

/** What the whole measures and this does not, in lines; none where nothing is left out. */
export function leftOutOf({ sizes, processes, works, rounds, ms }: Extent): string[] {
  const without = <T>(all: readonly T[], some: readonly T[]): T[] => all.filter((one) => !some.includes(one));
  const parts: [what: string, missing: readonly string[]][] = [
    ['assets', without(WHOLE.sizes, sizes).map((size) => NUMBER.format(size))],
    ['processes of each server', without(WHOLE.processes, processes).map(String)],
    ['works', without(WHOLE.works, works).map(({ id, name }) => `${id} ${name}`)],
  ];
  const lines = parts.flatMap(([what, missing]) => (missing.length === 0 ? [] : [`${what}: ${missing.join('; ')}`]));
  if (rounds < WHOLE.rounds || ms < WHOLE.ms) {
    const all = `${WHOLE.rounds} rounds of ${WHOLE.ms / 1_000} s`;
    lines.push(`certainty: ${rounds} rounds of ${ms / 1_000} s in the place of ${all}`);
  }
  return lines;
}
