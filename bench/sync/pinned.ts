import { spawnSync } from 'node:child_process';
import { rssOf } from '../../test/support/memory-use.js';

const SAMPLE_MS = 1_000;

/** Keeps a process, all its threads and those to come, on one core. Source: taskset of util-linux. */
export function pin(pid: number, core: number): void {
  const { status, stderr } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)]);
  if (status !== 0) throw new Error(`taskset: ${String(stderr)}`);
}

/** Resident memory of a process, every second, in MB. */
export class MemorySamples {
  readonly mb: number[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly pid: number) {
    this.timer = setInterval(() => this.take(), SAMPLE_MS);
  }

  end(): number[] {
    clearInterval(this.timer);
    return this.mb;
  }

  /** The process may have just ended. */
  private take(): void {
    try {
      this.mb.push(Math.round(rssOf(this.pid) / 1_048_576));
    } catch {
      clearInterval(this.timer);
    }
  }
}

/** So many of them, evenly, the last one too. */
export function someOf(samples: readonly number[], count: number): number[] {
  const step = (samples.length - 1) / (count - 1);
  return samples.length <= count
    ? [...samples]
    : Array.from({ length: count }, (_, i) => samples[Math.round(i * step)] as number);
}
