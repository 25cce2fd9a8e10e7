import { Presets, SingleBar } from 'cli-progress';
import type { Progress } from '../database/copy/progress.js';

const LINE_INTERVAL_MS = 1_000;

/** Shows progress on standard error: a bar at a terminal, otherwise a JSON line about every second. */
export function progressBar(): Progress {
  return process.stderr.isTTY ? new Bar() : new Lines();
}

class Bar implements Progress {
  private bar: SingleBar | undefined;

  begin(step: string, total: number): void {
    const format = `${step.padEnd(24)} {bar} {percentage}% {value}/{total} {eta_formatted}`;
    this.bar = new SingleBar({ format, hideCursor: true }, Presets.shades_classic);
    this.bar.start(total, 0);
  }

  reach(done: number): void {
    this.bar?.update(done);
  }

  end(): void {
    this.bar?.stop();
  }
}

class Lines implements Progress {
  private readonly state = { step: '', done: 0, total: 0 };
  private printedAtMs = -Infinity;

  begin(step: string, total: number): void {
    Object.assign(this.state, { step, done: 0, total });
  }

  reach(done: number): void {
    this.state.done = done;
    if (performance.now() - this.printedAtMs >= LINE_INTERVAL_MS) this.print();
  }

  end(): void {
    this.print();
  }

  private print(): void {
    console.error(JSON.stringify(this.state));
    this.printedAtMs = performance.now();
  }
}
