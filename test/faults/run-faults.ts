import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../support/random.js';
import { check, type Measured, measure } from './checker.js';
import { Client } from './client.js';
import { Flood } from './flood.js';
import { FinalReader, type FinalState } from './final-state.js';
import { History, type Mark } from './history.js';
import { LIVE_STYLES, LiveFollower } from './live-followers.js';
import { doHarm, type Harm } from './nemeses.js';
import { slowViewsDown } from './slow-views.js';
import { type Course, EAGER, STYLES, Synchroniser } from './synchronisers.js';
import type { DatabaseKind } from './databases.js';
import { System } from './system.js';
import { type Held, Writer } from './writers.js';

/** One run: the same plan makes the same choices, though not the same interleaving. */
export interface Plan extends Harm {
  seed: number;
  database: DatabaseKind;
  /** How long it goes on at least; the harm is spread over it. */
  seconds: number;
  /** How many changes must be acknowledged before it ends. */
  changes: number;
  writers: number;
  /** Processes on one database; SQLite has one. */
  services: number;
  /** Processes that share the port of a service. */
  workers: number;
  /** Synchronisers that never rest, beside one of every style. */
  eagerReaders: number;
  /** Prepared transactions that slow MariaDB's read views down, as many hung clients do. */
  preparedTransactions: number;
  /** For how long there may be no acknowledgement of a write at all. */
  allowedWriteGapMs: number;
  /** By what the bounds in time are multiplied: 1 where nothing else is at work on the machine. */
  slowness: number;
}

/** What came of a run. */
export interface Report {
  plan: Plan;
  violations: string[];
  measured: Measured;
  counts: Record<string, number>;
  /** Where the server comes from. */
  server: string;
}

const HOT = 6;
const SETTLE_MS = 12_000;
const DRAIN_MS = 60_000;
const DRAIN_MS_PER_CHANGE = 1;
const PROGRESS_MS = 10_000;

/** @param tell is given a line now and then */
export async function runFaults(plan: Plan, tell: (line: string) => void = () => undefined): Promise<Report> {
  const system = await System.start(plan.database, { ...plan, steppingClocks: plan.clockSteps > 0 });
  const history = new History();
  const client = new Client(history, system.urls);
  try {
    const [host] = system.database.hosts;
    if (host !== undefined) await slowViewsDown(host.url, plan.preparedTransactions);
    return await new Run(plan, system, history, client, tell).run();
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
    private readonly tell: (line: string) => void,
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
    const progress = setInterval(() => this.tell(this.progressLine()), PROGRESS_MS);
    try {
      const followed = Promise.all(synchronisers.map((synchroniser) => synchroniser.run()));
      const written = Promise.all(writers.map((writer) => writer.run(() => this.stopped)));
      const settled = await this.untilEnough(harm, hot);
      this.stopped = true;
      await written;
      // The last number given away shows every gap before it.
      await first.createLast();
      await this.drain(followed);
      return await this.report(settled, synchronisers);
    } finally {
      clearInterval(progress);
    }
  }

  private synchronisers(): (Synchroniser | LiveFollower)[] {
    const course: Course = {
      progress: () => this.progress(),
      draining: () => this.draining,
      over: () => this.over,
    };
    const eager = Array.from({ length: this.plan.eagerReaders }, (_, i) => ({ ...EAGER, name: `eager ${i + 1}` }));
    const { client, history } = this;
    const paging = [...STYLES, ...eager].map(
      (style, i) => new Synchroniser(i, style, this.random.fork(), client, history, course),
    );
    const live = LIVE_STYLES.map(
      (style, i) => new LiveFollower(paging.length + i, style, this.random.fork(), client, history, course),
    );
    return [...paging, ...live];
  }

  private progress(): number {
    const time = (performance.now() - this.began) / (this.plan.seconds * 1_000);
    const work = this.plan.changes === 0 ? 1 : this.history.acknowledged / this.plan.changes;
    return Math.min(time, work);
  }

  /** All harm done, the time over, the changes made, and a write acknowledged after the last fault. */
  private async untilEnough(random: Random, hot: Held[]): Promise<Mark> {
    const { system, history, plan } = this;
    const tell = (sentence: string): void => this.tell(`  ${this.clock()} ${sentence}`);
    const flood = new Flood(plan.writers + 1, hot, system.urls, history, plan);
    await doHarm(
      { system, history, harm: plan, flood, ms: plan.seconds * 1_000, isOver: () => this.over, tell },
      random,
    );
    const mark = history.mark('last fault is over');
    const patience = mark.at + SETTLE_MS * plan.slowness;
    while (mark.first === undefined && performance.now() < patience) await sleep(20);
    while (this.progress() < 1 && mark.first !== undefined) await sleep(50);
    return mark;
  }

  private async drain(followed: Promise<unknown>): Promise<void> {
    this.draining = true;
    const limit = DRAIN_MS + this.history.acknowledged * DRAIN_MS_PER_CHANGE;
    const patience = setTimeout(() => (this.over = true), limit);
    await followed;
    clearTimeout(patience);
  }

  private async report(settled: Mark, synchronisers: readonly (Synchroniser | LiveFollower)[]): Promise<Report> {
    const { plan, history, system } = this;
    this.tell(`  ${this.clock()} reading the registry and comparing`);
    const read = await new FinalReader(this.client, history, this.random.fork()).read();
    const behind = synchronisers.filter(({ isThrough }) => !isThrough).map(({ follower }) => follower.name);
    const firstWriteMs = settled.first === undefined ? undefined : settled.first - settled.at;
    const { allowedWriteGapMs, slowness } = plan;
    const final: FinalState = { ...read, behind, firstWriteMs, allowedWriteGapMs, slowness };
    for (const [i, node] of system.nodes.entries()) {
      for (const death of node.deaths) history.complain(`service ${i} ${death}`);
    }
    return {
      plan,
      violations: check(history, final),
      measured: measure(history),
      counts: this.counts(final),
      server: system.database.origin,
    };
  }

  private counts(final: FinalState): Record<string, number> {
    const { writes, followers, details, requests } = this.history;
    const outcomes = (outcome: string): number => writes.filter((write) => write.outcome === outcome).length;
    return {
      seconds: Math.round((performance.now() - this.began) / 1_000),
      requests,
      acknowledged: outcomes('ok'),
      unknown: outcomes('info'),
      refused: outcomes('fail'),
      listed: final.listed.size,
      untouched: this.untouched(final),
      pages: followers.reduce((sum, { pages }) => sum + pages.length, 0),
      entries: followers.reduce((sum, { entries }) => sum + entries.length, 0),
      details: details.length,
      compared: final.details.size,
    };
  }

  /** Listed assets that nobody touched after they were published. */
  private untouched({ listed }: FinalState): number {
    const changed = new Set(
      this.history.writes.filter(({ kind }) => kind === 'patch' || kind === 'delete').map(({ asset }) => asset),
    );
    return [...listed.keys()].filter((asset) => !changed.has(asset)).length;
  }

  private progressLine(): string {
    const { acknowledged, requests } = this.history;
    return `  ${this.clock()} ${acknowledged} changes acknowledged, ${requests} requests`;
  }

  private clock(): string {
    return `${((performance.now() - this.began) / 1_000).toFixed(0).padStart(4)} s`;
  }
}
