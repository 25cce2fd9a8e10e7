import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/random.js';
import { check } from './checker.js';
import { Client } from './client.js';
import { FinalReader, type FinalState } from './final-state.js';
import { History } from './history.js';
import { LIVE_STYLES, LiveFollower } from './live-followers.js';
import { doHarm, type Harm } from './nemeses.js';
import { type Course, STYLES, Synchroniser } from './synchronisers.js';
import type { DatabaseKind } from './databases.js';
import { System } from './system.js';
import { Writer } from './writers.js';

/** One run: the same plan makes the same choices, though not the same interleaving. */
export interface Plan extends Harm {
  seed: number;
  database: DatabaseKind;
  /** How long it goes on at least; the harm is spread over it. */
  seconds: number;
  writers: number;
  /** Processes on one database; SQLite has one. */
  services: number;
  /** For how long there may be no acknowledgement of a write at all. */
  allowedWriteGapMs: number;
}

/** What came of a run. */
interface Report {
  violations: string[];
  /** Changes. */
  acknowledged: number;
}

const HOT = 6;
/** A run goes on until so many were acknowledged, however slow the machine is. */
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
    const harm = this.random.fork();
    const followed = Promise.all(synchronisers.map((synchroniser) => synchroniser.run()));
    const written = Promise.all(writers.map((writer) => writer.run(() => this.stopped)));
    const firstWriteMs = await this.untilHarmed(harm);
    this.stopped = true;
    await written;
    // The last number given away shows every gap before it.
    await first.createLast();
    await this.drain(followed);
    return this.report(firstWriteMs, synchronisers);
  }

  private synchronisers(): (Synchroniser | LiveFollower)[] {
    const course: Course = {
      progress: () => this.progress(),
      draining: () => this.draining,
      over: () => this.over,
    };
    const { client, history } = this;
    const paging = STYLES.map((style, i) => new Synchroniser(i, style, this.random.fork(), client, history, course));
    const live = LIVE_STYLES.map(
      (style, i) => new LiveFollower(paging.length + i, style, this.random.fork(), client, history, course),
    );
    return [...paging, ...live];
  }

  private progress(): number {
    const time = (performance.now() - this.began) / (this.plan.seconds * 1_000);
    return Math.min(time, this.history.acknowledged / MIN_CHANGES);
  }

  /** @returns how long after the last fault the first write was acknowledged; undefined where none was */
  private async untilHarmed(random: Random): Promise<number | undefined> {
    const { system, history, plan } = this;
    await doHarm({ system, history, harm: plan, ms: plan.seconds * 1_000, isOver: () => this.over }, random);
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
    const patience = setTimeout(() => (this.over = true), limit);
    await followed;
    clearTimeout(patience);
  }

  private async report(
    firstWriteMs: number | undefined,
    synchronisers: readonly (Synchroniser | LiveFollower)[],
  ): Promise<Report> {
    const { plan, history, system } = this;
    const read = await new FinalReader(this.client, history, this.random.fork()).read();
    const behind = synchronisers.filter(({ isThrough }) => !isThrough).map(({ follower }) => follower.name);
    const final: FinalState = { ...read, behind, firstWriteMs, allowedWriteGapMs: plan.allowedWriteGapMs };
    for (const [i, node] of system.nodes.entries()) {
      for (const death of node.deaths) history.complain(`service ${i} ${death}`);
    }
    return { violations: check(history, final), acknowledged: history.acknowledged };
  }
}
