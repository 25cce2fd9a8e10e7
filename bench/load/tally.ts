import type { Outcome, Plan } from './plan.js';
import { UsageMeter } from './usage.js';

/** Counts the answers between its beginning and its end. */
export class Tally {
  private readonly times: number[] = [];
  private failed = 0;
  private began: { at: number; cpu: NodeJS.CpuUsage; meter: UsageMeter } | undefined;

  constructor(private readonly pids: Plan['pids']) {}

  begin(): void {
    this.began = { at: performance.now(), cpu: process.cpuUsage(), meter: new UsageMeter(this.pids) };
  }

  count(status: number, took: number): void {
    if (this.began === undefined) return;
    if (status >= 300) this.failed++;
    else this.times.push(took);
  }

  broke(): void {
    if (this.began !== undefined) this.failed++;
  }

  /** @param assets when they are not as many as the answers */
  end(assets?: number): Outcome {
    if (this.began === undefined) throw new Error('It has not begun');
    const { at, cpu, meter } = this.began;
    this.began = undefined;
    const seconds = (performance.now() - at) / 1_000;
    const usage = meter.stop();
    const { user, system } = process.cpuUsage(cpu);
    const { failed, times } = this;
    const generatorCores = (user + system) / 1_000_000 / seconds;
    return {
      answered: times.length,
      assets: assets ?? times.length,
      failed,
      times: Float64Array.from(times),
      seconds,
      generatorShare: generatorCores,
      generatorCores,
      usage,
    };
  }
}
