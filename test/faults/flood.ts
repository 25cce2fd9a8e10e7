import { LINK_LIMITS } from '../../src/forwarding/writer-link.js';
import type { Random } from '../support/random.js';
import { Client } from './client.js';
import type { History } from './history.js';
import { type Held, LARGEST, Writer } from './writers.js';

/** More than the ways to two workers that write take; then some that may be kept. All of the same size, each on a connection of its own. */
const IN_VAIN = 44;
const CREATIONS = 20;

/** How many of these one worker sends to the one that writes, if that reads nothing: the last one is sent when there is hardly room. */
const TAKEN = Math.ceil(LINK_LIMITS.waitingBytes / LARGEST) + 1;

/** Sends services at once more than waits for their workers that write, in bodies that are as large as they may be. */
export class Flood {
  /** How many writes may be sent to workers that write and read nothing, with those of others that were on their way. */
  readonly mostTaken: number;

  /** @param hot assets that all writers change */
  constructor(
    private number: number,
    private readonly hot: Held[],
    private readonly urls: readonly string[],
    private readonly history: History,
    { services, workers, writers }: { services: number; workers: number; writers: number },
  ) {
    this.mostTaken = services * (workers - 1) * TAKEN + writers;
  }

  /** Resolves when all were answered, or not within the time of a client. */
  async send(random: Random): Promise<void> {
    // Its connections are new: none of them is of a worker that is frozen.
    const client = new Client(this.history, this.urls);
    const { history, hot } = this;
    const writers = Array.from(
      { length: IN_VAIN + CREATIONS },
      () => new Writer(this.number++, random.fork(), client, history, hot),
    );
    await Promise.all(writers.map((writer, i) => (i < IN_VAIN ? writer.changeInVain() : writer.createLarge())));
    await client.close();
  }
}
