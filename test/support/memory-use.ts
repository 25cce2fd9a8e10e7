import { readFileSync } from 'node:fs';

/** Resident memory of a process in bytes. Source: /proc of Linux. */
export function rssOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}
