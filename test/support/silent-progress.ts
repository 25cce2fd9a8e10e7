import type { Progress } from '../../src/database/copy/progress.js';

/** Progress that is not shown. */
export const silent: Progress = { begin: () => undefined, reach: () => undefined, end: () => undefined };

/** Throws once a step has reached a given count: for tests of interrupted work. */
export class InterruptingProgress implements Progress {
  private step = '';

  constructor(
    private readonly where: string,
    private readonly done: number,
  ) {}

  begin(step: string): void {
    this.step = step;
  }

  reach(done: number): void {
    if (this.step === this.where && done >= this.done) throw new Error('interrupted');
  }

  end(): void {
    this.step = '';
  }
}
