import { setTimeout as sleep } from 'node:timers/promises';
import { ASSETS } from './assets.js';
import { checkpointIn, LOG, type SeenCheckpoint } from './log-reader.js';
import { follow } from './pages.js';
import type { Sender } from './registry.js';

const REST_MS = 50;

/** Polls the checkpoint, and records each new one. */
export class CheckpointWatch {
  private readonly seen: SeenCheckpoint[] = [];
  private readonly running: Promise<void>;
  private ends = false;

  constructor(private readonly registry: Sender) {
    this.running = this.run();
  }

  /** The number of different checkpoints so far. */
  get count(): number {
    return this.seen.length;
  }

  /** @returns all recorded checkpoints, in order */
  async stop(): Promise<SeenCheckpoint[]> {
    this.ends = true;
    await this.running;
    return this.seen;
  }

  private async run(): Promise<void> {
    while (!this.ends) {
      // A killed process does not answer.
      const reply = await this.registry.send(`${LOG}/checkpoint`).catch(() => undefined);
      if (reply?.status === 200 && reply.text !== this.seen.at(-1)?.note) this.seen.push(checkpointIn(reply.text));
      await sleep(REST_MS);
    }
  }
}

/** A public state in a history, with its instant as text and in microseconds. */
interface HistoryState {
  id: string;
  dateModified: string;
  us: number;
}

/** All public states, from the listing and each asset's history, in the order of their instants. */
export async function publicStatesOf(registry: Sender): Promise<HistoryState[]> {
  const states: HistoryState[] = [];
  for (const { id } of await follow(registry, `${ASSETS}?limit=1000`))
    for (const { dateModified } of await follow(registry, `${ASSETS}/${id}/history?limit=1000`))
      states.push({ id, dateModified, us: microsOf(dateModified) });
  return states.toSorted((one, other) => one.us - other.us);
}

/** @param text an instant with six decimals, in any time zone */
export function microsOf(text: string): number {
  return Date.parse(text) * 1_000 + Number(/\.\d{3}(\d{3})/.exec(text)?.[1]);
}
