import { availableParallelism, cpus, loadavg, release } from 'node:os';

/** Where numbers were measured, in a line. All that is measured, and what measures, shares these cores. */
export function machine(): string {
  const all = cpus();
  const [cpu] = all;
  return `${availableParallelism()} of ${all.length} cores (${cpu?.model.trim()}), Linux ${release()}, Node ${process.versions.node}`;
}

/** Of the minute before, the build's part of it included. */
export function loadAverage(): string {
  return (loadavg()[0] as number).toFixed(1);
}
