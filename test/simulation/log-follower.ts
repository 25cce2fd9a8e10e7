import type { Asset } from '../../src/database/entities/asset.entity.js';
import type { Revision } from '../../src/database/entities/revision.entity.js';
import type { Random } from '../support/random.js';
import { type Stage, takeRefusal } from './actors.js';

const PAUSE_MS = 200;

/** Follows the feed as the log does: which public states began since it looked last, up to an instant that is settled and durable. */
export class LogFollower {
  /** The instants of its entries: they are appended, and none is taken back. */
  readonly entries: number[] = [];
  private untilUs = -1;

  constructor(
    private readonly stage: Stage,
    private readonly random: Random,
  ) {}

  /** Until all is quiet, and there was nothing new then. */
  async follow(): Promise<void> {
    for (;;) {
      const isQuiet = this.stage.isQuiet();
      if ((await this.extend()) === 0 && isQuiet) return;
      await this.stage.time.sleep(this.random.next() * PAUSE_MS);
    }
  }

  /** @returns how many entries there are more; -1 when there was no answer */
  private async extend(): Promise<number> {
    try {
      const states = await this.random.pick(this.stage.services).statesAfter(this.untilUs);
      const added = states.next(states.remaining).map(({ modifiedUs }) => modifiedUs);
      this.entries.push(...added);
      this.untilUs = states.settledUs;
      return added.length;
    } catch (error) {
      takeRefusal(error, this.stage.witness);
      return -1;
    }
  }

  /** In the end it has each public state that there ever was, once, in the order of the feed. */
  compare(rows: Iterable<Asset>, revisions: readonly Revision[]): void {
    const present = [...rows].flatMap(({ feedUs }) => feedUs ?? []);
    const ended = revisions.flatMap(({ listed, modifiedUs }) => (listed === 1 ? modifiedUs : []));
    const all = [...present, ...ended].toSorted((one, other) => one - other);
    const place = Math.max(all.length, this.entries.length);
    const wrong = Array.from({ length: place }, (_, i) => i).find((i) => all[i] !== this.entries[i]);
    if (wrong === undefined) return;
    const [is, ought] = [this.entries[wrong], all[wrong]];
    this.stage.witness.broken(`the log has ${is ?? 'nothing'} at place ${wrong}, where ${ought ?? 'nothing'} belongs`);
  }
}
