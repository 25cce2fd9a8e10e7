import { readFileSync } from 'node:fs';

/** Resident memory of a process in MB. Source: /proc of Linux. */
export function megabytesOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
}
