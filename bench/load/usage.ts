import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { rssOf } from '../../test/support/memory-use.js';
import type { Usage } from './plan.js';

/** Of the kernel's counters of processor time, on every Linux that Node runs on. */
const TICKS_A_SECOND = 100;
const MEMORY_EVERY_MS = 100;

/** Watches what processes use from now on, until it is asked. Source: /proc of Linux. */
export class UsageMeter {
  private readonly before: Omit<Usage, 'rss'>;
  private rss = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pids: { service: number[]; database: number[] }) {
    this.before = this.seconds();
    this.timer = setInterval(() => this.look(), MEMORY_EVERY_MS);
  }

  stop(): Usage {
    clearInterval(this.timer);
    this.look();
    const { service, database, machine } = this.seconds();
    const { before, rss } = this;
    return {
      service: service - before.service,
      database: database - before.database,
      machine: machine - before.machine,
      rss,
    };
  }

  private look(): void {
    this.rss = Math.max(this.rss, ...this.pids.service.map(rssOf));
  }

  private seconds(): Omit<Usage, 'rss'> {
    const { service, database } = this.pids;
    return { service: cpuSecondsOf(service), database: cpuSecondsOf(database), machine: cpuSecondsOfMachine() };
  }
}

/** Processor seconds, of user and system, that processes have used so far; all of their threads count. */
export function cpuSecondsOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    // The name of the program stands in parentheses and may hold spaces; the 14th and 15th field are wanted.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_A_SECOND;
}

/** Seconds that all cores together have been busy; waiting for a disk is not busy. */
function cpuSecondsOfMachine(): number {
  const ms = cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
  return ms / 1_000;
}

/** The processes that a process has started and that are still there, and it itself. */
export function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  return [pid, ...(children === '' ? [] : children.split(' ').map(Number))];
}
