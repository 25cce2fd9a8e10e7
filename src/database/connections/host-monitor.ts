import type { HostAddress } from '../../platform/config/database-url.js';
import { unavailable } from '../../platform/errors/errors.js';
import type { Hosts } from './hosts.js';

/** How long after a look at the hosts the next one begins. */
const PAUSE_MS = 250;

/** What a host shows of itself. */
export interface SignOfLife {
  /** Whether it answers in time and may be used. */
  usable: boolean;
  /** Why not, or what keeps new connections out, in a clause for an operator; undefined for a sound host. */
  trouble: string | undefined;
}

interface HostListener {
  /** Notes a sign of life of the host in use, or of the last one where no host may be used. */
  seen(host: HostAddress, sign: SignOfLife): void;
  /** Makes a host ready that is to be used from now on. @returns false where it cannot be used */
  prepare(host: HostAddress): Promise<boolean>;
}

/**
 * A circuit breaker for the whole database: while it is away, requests fail at once. Of several hosts it chooses the one to use, and goes
 * over to another one when that does not answer.
 */
export class HostMonitor {
  isAway = false;
  private listener: HostListener | undefined;
  private looking: Promise<void> | undefined;
  /** Whether requests wait for the look that is under way. */
  private isDoubted = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly hosts: Hosts,
    private readonly probe: (host: HostAddress) => Promise<SignOfLife>,
  ) {}

  start(listener: HostListener): void {
    this.listener = listener;
    this.look(listener);
  }

  async stop(): Promise<void> {
    this.listener = undefined;
    clearTimeout(this.timer);
    await this.looking;
  }

  /** Resolves when the database can be used, at once unless it is in doubt. @throws ApiError 503 when it is away */
  async ready(): Promise<void> {
    if (this.isDoubted) await this.looking;
    if (this.isAway) throw unavailable('database_away');
  }

  /** A connection has failed: looks now, and requests wait for what it finds. */
  doubt(): void {
    if (this.listener === undefined || this.isAway) return;
    this.isDoubted = true;
    this.look(this.listener);
  }

  /**
   * Takes the first host in the order of preference that answers; all are asked at once.
   * @param last one that is taken only when no other answers
   * @returns what it shows, or the last in that order where none may be used
   */
  async choose(last?: HostAddress): Promise<SignOfLife> {
    const order = this.hosts.all.toSorted((one, other) => Number(one === last) - Number(other === last));
    const asked = order.map((host) => ({ host, sign: this.probe(host) }));
    let seen: SignOfLife = { usable: false, trouble: 'none of its hosts answers' };
    for (const { host, sign } of asked) {
      seen = await sign;
      if (!seen.usable) continue;
      this.hosts.current = host;
      break;
    }
    return seen;
  }

  /** One look at a time, and the next one a while later. */
  private look(listener: HostListener): void {
    clearTimeout(this.timer);
    this.looking ??= this.lookOnce(listener).finally(() => {
      this.looking = undefined;
      this.isDoubted = false;
      if (this.listener !== undefined) this.timer = setTimeout(() => this.look(listener), PAUSE_MS);
    });
  }

  private async lookOnce(listener: HostListener): Promise<void> {
    const host = this.hosts.current;
    if (!this.isAway) {
      const sign = await this.probe(host);
      listener.seen(host, sign);
      if (sign.usable) return;
      this.hosts.cut();
      this.isAway = this.hosts.all.length === 1;
      if (this.isAway) return;
      this.isDoubted = true;
    }
    const sign = await this.choose(host);
    if (!sign.usable) listener.seen(host, sign);
    this.isAway = !sign.usable || !(await listener.prepare(this.hosts.current));
    // The pools would keep its connections, also when another host is chosen next.
    if (sign.usable && this.isAway) this.hosts.cut();
  }
}
