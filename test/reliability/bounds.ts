import type { Served } from './others.js';

/** Times in milliseconds, memory in MB. */
const MAX = { readsP99: 250, writesP99: 2_000, memoryMb: 512 };

/** How an attack went for the service and its other clients. */
export interface Endured extends Served {
  memoryMb: number;
}

/** Prints how an attack went, and `details`. If a bound is broken, the program ends with 1. */
export function judge(attack: string, endured: Endured, ...details: object[]): void {
  const names = Object.keys(MAX) as (keyof typeof MAX)[];
  console.log(attack, Object.fromEntries(names.map((name) => [name, endured[name]])), ...details);
  const broken = names.filter((name) => endured[name] > MAX[name]).map((name) => `${name} is more than ${MAX[name]}`);
  if (endured.failed.length > 0) broken.push(`${endured.failed.length} requests failed: ${endured.failed[0]}`);
  for (const bound of broken) console.log(`BROKEN: ${bound}`);
  if (broken.length > 0) process.exitCode = 1;
}
