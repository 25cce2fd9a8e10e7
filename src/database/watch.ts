import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import type { HostAddress } from '../config/database-url.js';
import { unavailable } from '../errors/errors.js';
import type { Hosts } from './hosts.js';

/** How often the host in use is asked for a sign of life, and how often all are while none gives one. */
const HEARTBEAT_MS = 250;
const SEARCH_PAUSE_MS = 100;

type State = 'in use' | 'doubted' | 'away';

/** What a host shows of itself. */
export interface SignOfLife {
  /** Whether it answers in time and may be used. */
  usable: boolean;
  /** Why not, or what keeps new connections out; in a clause for an operator. */
  trouble?: string | undefined;
}

/** Who wants to know of every change. */
interface HostListener {
  away(host: HostAddress, trouble: string | undefined): void;
  /** The host in use has given a sign of life, though perhaps one of trouble. */
  alive(host: HostAddress, trouble: string | undefined): void;
  /** Awaited before the first request goes on; while it rejects, the host is not used. */
  inUse(host: HostAddress): Promise<void>;
}

/** Asks a host for a sign of life. */
type Probe = (host: HostAddress, deadlineMs: number) => Promise<SignOfLife>;

/**
 * Knows whether the database can be used, so that requests need not find out one by one: while it is away they fail at once. Of several
 * hosts it chooses the one to use, and moves on to the next that answers when that one does not.
 */
export class Watch {
  private state: State = 'in use';
  private listener: HostListener = { away: () => undefined, alive: () => undefined, inUse: () => Promise.resolve() };
  private verdict = Promise.resolve();
  private judge: () => void = () => undefined;
  private wake: () => void = () => undefined;
  private stopped: Promise<void> | undefined;
  private stopping = false;

  constructor(
    private readonly hosts: Hosts,
    private readonly probe: Probe,
  ) {}

  get isAway(): boolean {
    return this.state === 'away';
  }

  get host(): HostAddress {
    return this.hosts.current;
  }

  start(told: HostListener): void {
    this.listener = told;
    this.stopped ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await this.stopped;
  }

  /** Resolves when the database can be used, at once unless it is in doubt. @throws ApiError 503 when it is away */
  async ready(): Promise<void> {
    if (this.state === 'doubted') await this.verdict;
    if (this.state === 'away') throw unavailable('database_away');
  }

  /** Somebody's connection failed: the host is asked now, and who comes meanwhile waits for its answer. */
  doubt(): void {
    if (this.state !== 'in use' || this.stopped === undefined) return;
    this.state = 'doubted';
    this.verdict = new Promise((resolve) => (this.judge = resolve));
    this.wake();
  }

  /**
   * Takes the first host in the order of preference that answers.
   * @param last one that is taken only when no other answers
   * @returns what it shows, or the last in that order where none may be used
   */
  async choose(last?: HostAddress): Promise<SignOfLife> {
    const { all } = this.hosts;
    const order = [...all.filter((host) => host !== last), ...(last === undefined ? [] : [last])];
    const answers = order.map((host) => ({ host, sign: this.probe(host, this.patienceMs) }));
    let seen: SignOfLife = { usable: false };
    for (const { host, sign } of answers) {
      seen = await sign;
      if (!seen.usable) continue;
      this.hosts.use(host);
      break;
    }
    return seen;
  }

  private get patienceMs(): number {
    return this.hosts.all.length > 1 ? TIME_BUDGETS_MS.signOfLifeOfSeveral : TIME_BUDGETS_MS.signOfLife;
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const { usable, trouble } = await this.probe(this.hosts.current, this.patienceMs);
      if (usable) this.listener.alive(this.hosts.current, trouble);
      else await this.recover(trouble);
      this.enter('in use');
      await this.pause(HEARTBEAT_MS);
    }
  }

  private async recover(trouble: string | undefined): Promise<void> {
    const failed = this.hosts.current;
    this.listener.away(failed, trouble);
    this.hosts.cut();
    // Alone, there is nothing to wait for; with others, requests wait until one of them is chosen.
    if (this.hosts.all.length === 1) this.enter('away');
    else this.doubt();
    while (!this.stopping && !(await this.adopt(failed))) {
      this.enter('away');
      await this.pause(SEARCH_PAUSE_MS);
    }
  }

  private async adopt(failed: HostAddress): Promise<boolean> {
    const { usable, trouble } = await this.choose(failed);
    if (!usable) {
      this.listener.away(failed, trouble);
      return false;
    }
    try {
      await this.listener.inUse(this.hosts.current);
      return true;
    } catch {
      return false;
    }
  }

  private enter(state: State): void {
    this.state = state;
    this.judge();
  }

  private pause(ms: number): Promise<void> {
    // Whoever began to doubt while nobody paused is heard at once.
    if (this.stopping || this.state === 'doubted') return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
