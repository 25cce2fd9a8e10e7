import { availableParallelism, cpus, release } from 'node:os';

/** Where numbers were measured, in a line. */
export function machine(): string {
  const [cpu] = cpus();
  return `${availableParallelism()} cores (${cpu?.model.trim()}), Linux ${release()}, Node ${process.versions.node}`;
}
