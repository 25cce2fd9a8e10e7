import type { HeldAssets } from './held-assets.js';
import type { PendingOperation } from './pending-operation.js';

type Work = () => Promise<void>;

interface Task {
  work: Work;
  /** Whose asset it wants. */
  pending: PendingOperation | undefined;
}

/** What is done between two batches, in the order of coming. What wants an asset that another holds lets the others go first. */
export class LaneTasks {
  private readonly waiting: Task[] = [];

  constructor(private readonly held: HeldAssets) {}

  get count(): number {
    return this.waiting.length;
  }

  add(work: Work, pending?: PendingOperation): void {
    this.waiting.push({ work, pending });
  }

  /** Takes the next one out. */
  next(): Work | undefined {
    const place = this.waiting.findIndex(
      ({ pending }) => pending === undefined || pending.settled || !this.held.holdUp(pending.operation),
    );
    return place < 0 ? undefined : this.waiting.splice(place, 1)[0]?.work;
  }
}
