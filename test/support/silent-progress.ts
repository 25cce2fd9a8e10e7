import type { Progress } from '../../src/database/copy/progress.js';

/** Nobody looks. */
export const silent: Progress = { begin: () => undefined, reach: () => undefined, end: () => undefined };

/** Breaks the work off with an error once a step has come so far: for tests of what is left half-way. */
export class BreakingOff implements Progress {
  private step = '';

  constructor(
    private readonly where: string,
    private readonly done: number,
  ) {}

  begin(step: string): void {
    this.step = step;
  }

  reach(done: number): void {
    if (this.step === this.where && done >= this.done) throw new Error('broken off');
  }

  end(): void {
    this.step = '';
  }
}
