import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/random.js';
import { check } from './checker.js';
import { Client } from './client.js';
import { FinalReader, type FinalState } from './final-state.js';
import { History } from './history.js';
import { LIVE_STYLES, LiveFollower } from './live-followers.js';
import { injectAll, type Faults } from './nemeses.js';
import { type RunState, STYLES, Synchroniser } from './synchronisers.js';
import type { DatabaseKind } from './databases.js';
import { System } from './system.js';
import { Writer } from './writers.js';

/** Parameters of a run: the same plan makes the same choices, though not the same interleaving. */
export interface Plan extends Faults {
  seed: number;
  database: DatabaseKind;
  /** Minimum duration; the faults are spread over it. */
  seconds: number;
  writers: number;
  /** Processes on one database; SQLite has one. */
  services: number;
  /** Maximum time without an acknowledged write. */
  allowedWriteGapMs: number;
}

/** Result of a run. */
interface Report {
  violations: string[];
  /** Number of acknowledged changes. */
  acknowledged: number;
}

const HOT = 6;
/** Minimum of acknowledged changes: a run continues until then, however slow the machine. */
const MIN_CHANGES = 150;
const SETTLE_MS = 48_000;
const DRAIN_MS = 60_000;
const DRAIN_MS_PER_CHANGE = 1;

export async function runFaults(plan: Plan): Promise<Report> {
  const system = await System.start(plan.database, { ...plan, steppingClocks: plan.clockSteps > 0 });
  const history = new History();
  const client = new Client(history, system.urls);
  try {
    return await new Run(plan, system, history, client).run();
  } finally {
    await client.close();
    await system.stop();
  }
}

class Run {
  private readonly random: Random;
  private readonly began = performance.now();
  private stopped = false;
  private draining = false;
  private over = false;

  constructor(
    private readonly plan: Plan,
    private readonly system: System,
    private readonly history: History,
    private readonly client: Client,
  ) {
    this.random = new Random(plan.seed);
  }

  async run(): Promise<Report> {
    const first = new Writer(0, this.random.fork(), this.client, this.history);
    const hot = await Promise.all(Array.from({ length: HOT }, () => first.createHot()));
    const writers = Array.from(
      { length: this.plan.writers },
      (_, i) => new Writer(i + 1, this.random.fork(), this.client, this.history, hot),
    );
    const synchronisers = this.synchronisers();
    const faultRandom = this.random.fork();
    const followed = Promise.all(synchronisers.map((synchroniser) => synchroniser.run()));
    const written = Promise.all(writers.map((writer) => writer.run(() => this.stopped)));
    const firstWriteMs = await this.injectFaults(faultRandom);
    this.stopped = true;
    await written;
    // The number of the last asset reveals every gap before it.
    await first.createLast();
    await this.drain(followed);
    return this.report(firstWriteMs, synchronisers);
  }

  private synchronisers(): (Synchroniser | LiveFollower)[] {
    const runState: RunState = {
      progress: () => this.progress(),
      draining: () => this.draining,
      over: () => this.over,
    };
    const { client, history } = this;
    const paging = STYLES.map((style, i) => new Synchroniser(i, style, this.random.fork(), client, history, runState));
    const live = LIVE_STYLES.map(
      (style, i) => new LiveFollower(paging.length + i, style, this.random.fork(), client, history, runState),
    );
    return [...paging, ...live];
  }

  private progress(): number {
    const time = (performance.now() - this.began) / (this.plan.seconds * 1_000);
    return Math.min(time, this.history.acknowledged / MIN_CHANGES);
  }

  /** @returns time from the last fault to the first acknowledged write; undefined if none was acknowledged */
  private async injectFaults(random: Random): Promise<number | undefined> {
    const { system, history, plan } = this;
    await injectAll({ system, history, faults: plan, ms: plan.seconds * 1_000, isOver: () => this.over }, random);
    const [over, before] = [performance.now(), history.acknowledged];
    while (history.acknowledged === before && performance.now() < over + SETTLE_MS) await sleep(20);
    if (history.acknowledged === before) return undefined;
    const firstWriteMs = performance.now() - over;
    while (this.progress() < 1) await sleep(50);
    return firstWriteMs;
  }

  private async drain(followed: Promise<unknown>): Promise<void> {
    this.draining = true;
    const limit = DRAIN_MS + this.history.acknowledged * DRAIN_MS_PER_CHANGE;
    const timeout = setTimeout(() => (this.over = true), limit);
    await followed;
    clearTimeout(timeout);
  }

  private async report(
    firstWriteMs: number | undefined,
    synchronisers: readonly (Synchroniser | LiveFollower)[],
  ): Promise<Report> {
    const { plan, history, system } = this;
    const read = await new FinalReader(this.client, history, this.random.fork()).read();
    const behind = synchronisers.filter(({ hasFinished }) => !hasFinished).map(({ follower }) => follower.name);
    const final: FinalState = { ...read, behind, firstWriteMs, allowedWriteGapMs: plan.allowedWriteGapMs };
    for (const [i, node] of system.nodes.entries()) {
      for (const death of node.deaths) history.complain(`service ${i} ${death}`);
    }
    return { violations: check(history, final), acknowledged: history.acknowledged };
  }
}
