import type { PendingOperation } from './pending-operation.js';
import type { Timing } from './timing.js';

/** So long nobody else asks before a large operation begins: whoever sends one change after the other comes back sooner. */
const QUIET_MS = 100;
/** So long it waits at most, where others never cease. */
export const LONGEST_COURTESY_MS = 2_000;

/**
 * What takes the lane for as long as many batches lets others go first: else each of their changes would wait for one of these. So it
 * begins where the lane is quiet, or when it has waited long enough (decision 51).
 */
export class Courtesy {
  private busyMs = -Infinity;
  private wakeUp = (): void => undefined;

  constructor(private readonly timing: Pick<Timing, 'nowMs' | 'after'>) {}

  /** Told when a change comes that is not large, and when a batch with one is over. */
  noteOthers(): void {
    this.busyMs = this.timing.nowMs();
  }

  /** Whether a large operation has waited enough. */
  isOver({ beganMs }: Pick<PendingOperation, 'beganMs'>): boolean {
    const nowMs = this.timing.nowMs();
    return nowMs >= this.busyMs + QUIET_MS || nowMs >= beganMs + LONGEST_COURTESY_MS;
  }

  /** Resolves when the lane was quiet for long enough, or something comes. */
  async wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      const callOff = this.timing.after(Math.max(1, this.busyMs + QUIET_MS - this.timing.nowMs()), resolve);
      this.wakeUp = () => {
        callOff();
        resolve();
      };
    });
    this.wakeUp = (): void => undefined;
  }

  /** Ends `wait`. */
  wake(): void {
    this.wakeUp();
  }
}
