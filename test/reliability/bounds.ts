import type { Served } from './background-clients.js';

/** Times in milliseconds, memory in MB. */
const MAX = { readsP99: 250, writesP99: 2_000, memoryMb: 512 };

/** Measurements of the service and its other clients during an attack. */
export interface AttackFigures extends Served {
  memoryMb: number;
}

/** Prints the result of an attack, and `details`. Sets the exit code 1 if a bound is exceeded. */
export function checkBounds(attack: string, figures: AttackFigures, ...details: object[]): void {
  const names = Object.keys(MAX) as (keyof typeof MAX)[];
  console.log(attack, Object.fromEntries(names.map((name) => [name, figures[name]])), ...details);
  const broken = names.filter((name) => figures[name] > MAX[name]).map((name) => `${name} is more than ${MAX[name]}`);
  if (figures.failed.length > 0) broken.push(`${figures.failed.length} requests failed: ${figures.failed[0]}`);
  for (const bound of broken) console.log(`BROKEN: ${bound}`);
  if (broken.length > 0) process.exitCode = 1;
}
