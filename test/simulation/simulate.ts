import { Random } from '../support/random.js';
import { Mirror, type MirrorStyle, runWriter, type Stage } from './actors.js';
import { LiveMirror } from './live-mirror.js';
import { LogFollower } from './log-follower.js';
import { type Faults, NO_FAULTS } from './simulated-connection.js';
import { type AssumedRules, type DatabaseRules, SimulatedDatabase } from './simulated-database.js';
import { SimulatedService } from './simulated-service.js';
import { VirtualTime } from './virtual-time.js';
import { Witness } from './witness.js';

/** A database and how many processes share it. */
export interface Setting {
  name: string;
  rules: DatabaseRules;
  services: number;
  /** Default: what it is. */
  assumed?: AssumedRules;
}

export const SETTINGS: readonly Setting[] = [
  {
    name: 'SQLite',
    rules: { views: 'atomic', visible: 'when durable', oneWriter: true },
    services: 1,
  },
  {
    name: 'MySQL',
    rules: { views: 'atomic', visible: 'when durable', oneWriter: false },
    services: 2,
  },
  {
    name: 'MariaDB',
    rules: { views: 'torn', visible: 'when durable', oneWriter: false },
    services: 2,
  },
  {
    name: 'MariaDB without binary log',
    rules: { views: 'torn', visible: 'before it is durable', oneWriter: false },
    services: 3,
  },
];

export interface Plan {
  seed: number;
  setting: Setting;
  /** Operations that are sent; about a tenth changes nothing, is refused or gets no answer. */
  operations: number;
  /** Clients that write at the same time: the more, the larger the batches. */
  writers: number;
}

export interface Outcome {
  /** Acknowledged changes. */
  changes: number;
  crashes: number;
  kills: number;
  /** Virtual milliseconds. */
  ms: number;
  violations: string[];
}

const QUIET_PAUSE_MS = 100;
const AWAKE_MS = 2_000;
const STYLES: readonly MirrorStyle[] = [
  { limit: 1, backwardFirst: false, restarts: false, readsDetails: false },
  { limit: 7, backwardFirst: false, restarts: true, readsDetails: true },
  { limit: 100, backwardFirst: true, restarts: false, readsDetails: false },
  { limit: 1000, backwardFirst: false, restarts: false, readsDetails: true },
];
/** Everything heals, so what takes longer than this is stuck. */
const LIMIT_MS = 60 * 60 * 1_000;
const WRONG_BY_MS = [0, -10_000, 3_600_000, -3_600_000];

/** Runs one seeded history to its end: the same plan always gives the same outcome. */
export async function simulate(plan: Plan): Promise<Outcome> {
  const random = new Random(plan.seed);
  return new Simulation(plan, random).run();
}

class Simulation {
  private readonly time = new VirtualTime();
  private readonly witness = new Witness();
  private readonly database: SimulatedDatabase;
  private readonly stage: Stage;
  private readonly faults: Faults;
  private writersLeft: number;
  private mirrorsLeft = 0;
  private writes = 0;
  private isQuiet = false;
  private readonly outcome = { crashes: 0, kills: 0 };

  constructor(
    private readonly plan: Plan,
    private readonly random: Random,
  ) {
    this.database = new SimulatedDatabase(plan.setting.rules, this.time, random.fork());
    this.faults = faultsOf(random);
    this.writersLeft = plan.writers;
    this.stage = {
      time: this.time,
      witness: this.witness,
      services: Array.from({ length: plan.setting.services }, () => this.newService()),
      hot: [],
      nextWrite: () => ++this.writes,
      isQuiet: () => this.isQuiet,
    };
  }

  async run(): Promise<Outcome> {
    const { random, plan, witness } = this;
    const mirrors = [
      ...STYLES.map((style) => new Mirror(this.stage, random.fork(), style)),
      ...[false, true].map((isSlow) => new LiveMirror(this.stage, random.fork(), isSlow)),
    ];
    const log = new LogFollower(this.stage, random.fork());
    const followers = [...mirrors, log];
    this.mirrorsLeft = followers.length;
    for (let i = 0; i < plan.writers; i++) {
      const operations = Math.ceil(plan.operations / plan.writers);
      void runWriter(this.stage, random.fork(), operations).then(() => this.writerIsDone());
    }
    for (const follower of followers) void follower.follow().then(() => this.mirrorsLeft--);
    this.planMischief(random.fork());
    const isOver = await this.time.run(() => this.writersLeft === 0 && this.mirrorsLeft === 0, LIMIT_MS);
    if (!isOver) witness.broken(`stuck: ${this.writersLeft} writers and ${this.mirrorsLeft} mirrors wait forever`);
    else for (const mirror of mirrors) this.compare(mirror);
    witness.conclude(this.database.rows);
    const revisions = [...this.database.revisions.values()];
    witness.checkHistories(this.database.rows, revisions);
    if (isOver) log.compare(this.database.rows.values(), revisions);
    for (const fault of witness.pages.check(this.database.rows, revisions)) witness.broken(fault);
    return { ...this.outcome, changes: witness.changes, ms: this.time.nowMs, violations: witness.violations };
  }

  /** At the end a mirror must have exactly the listed assets. */
  private compare({ shown }: Pick<Mirror, 'shown'>): void {
    const listed = [...this.database.rows.values()].filter(({ feedUs }) => feedUs !== null);
    for (const { id, feedUs } of listed) {
      if (shown.get(id) !== feedUs) this.witness.broken(`missed: ${id} at ${feedUs}, a mirror has ${shown.get(id)}`);
    }
    if (shown.size !== listed.length) this.witness.broken(`a mirror has ${shown.size} assets of ${listed.length}`);
  }

  private newService(): SimulatedService {
    let [untilMs, wrongByMs] = [this.time.nowMs, 0];
    const random = this.random.fork();
    const clock = (): number => {
      // The system's clock is reset every few seconds, mostly to a wrong time.
      if (this.time.nowMs > untilMs)
        [untilMs, wrongByMs] = [this.time.nowMs + random.int(500, 20_000), random.pick(WRONG_BY_MS)];
      return wrongByMs;
    };
    const faults = (): Faults => (this.writersLeft === 0 ? NO_FAULTS : this.faults);
    return new SimulatedService(this.database, faults, random, clock, this.plan.setting.assumed);
  }

  /** After the last answer, lanes may still be writing operations whose clients have given up. */
  private async writerIsDone(): Promise<void> {
    this.writersLeft--;
    if (this.writersLeft > 0) return;
    for (const service of this.stage.services) if (service.isAlive) await service.idle();
    while (this.database.committing > 0) await this.time.sleep(QUIET_PAUSE_MS);
    this.isQuiet = true;
  }

  /** Kills, crashes and freezes at random moments while there are writers. */
  private planMischief(random: Random): void {
    const meanMs = random.pick([50, 300, 2_000]);
    const acts = [
      () => this.killService(random),
      () => this.crash(random),
      () => this.freezeService(random),
      () => this.freezeDatabase(random),
      () => this.holdAsset(random),
    ];
    const enabled = acts.filter(() => random.chance(0.6));
    const next = (): void => {
      this.time.after(-Math.log(1 - random.next()) * meanMs, () => {
        if (this.writersLeft === 0) return;
        if (enabled.length > 0) random.pick(enabled)();
        next();
      });
    };
    next();
  }

  private killService(random: Random): void {
    const index = random.int(0, this.stage.services.length - 1);
    this.stage.services[index]?.kill();
    this.outcome.kills++;
    this.time.after(random.next() * 1_000, () => {
      if (this.stage.services[index]?.isAlive === false) this.stage.services[index] = this.newService();
    });
  }

  private crash(random: Random): void {
    if (!this.database.isUp) return;
    this.outcome.crashes++;
    this.database.crash();
    this.witness.compare(this.database.rows);
    this.time.after(random.next() * 2_000, () => (this.database.isUp = true));
  }

  private freezeService(random: Random): void {
    this.freeze(random.pick(this.stage.services), random.next() * 12_000);
  }

  private freezeDatabase(random: Random): void {
    this.freeze(this.database, random.next() * 10_000);
  }

  /** Somebody looks at an asset in a transaction, and leaves it open for a while. */
  private holdAsset(random: Random): void {
    const { database, stage, time } = this;
    if (stage.hot.length === 0 || database.rules.oneWriter) return;
    const somebody = {};
    void database.locks.acquire(somebody, random.pick(stage.hot));
    time.after(random.next() * 12_000, () => database.locks.releaseAll(somebody));
  }

  /** Not again before it could do something in between. */
  private freeze(what: { frozenUntilMs: number }, ms: number): void {
    if (this.time.nowMs > what.frozenUntilMs + AWAKE_MS) what.frozenUntilMs = this.time.nowMs + ms;
  }
}

function faultsOf(random: Random): Faults {
  const share = (most: number): number => (random.chance(0.5) ? random.next() * most : 0);
  return {
    lostConnection: share(0.01),
    lostCommit: share(0.05),
    lostAnswer: share(0.05),
    refusedCommit: share(0.1),
    stall: share(0.002),
  };
}
