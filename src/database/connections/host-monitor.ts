import type { HostAddress } from '../../platform/config/database-url.js';
import { unavailable } from '../../platform/errors/errors.js';
import type { Hosts } from './hosts.js';

/** Between two checks. */
const CHECK_PAUSE_MS = 250;

export interface ProbeResult {
  /** The host answers in time and may be used. */
  usable: boolean;
  /** Why the host is not usable, or why it refuses new connections, as a clause for an operator; undefined for a healthy host. */
  trouble: string | undefined;
}

interface HostListener {
  /** Called with the result for the host in use, or for the last one tried if no host is usable. */
  onProbe(host: HostAddress, sign: ProbeResult): void;
  /** Prepares a newly chosen host. @returns false if it cannot be used */
  prepare(host: HostAddress): Promise<boolean>;
}

/**
 * A circuit breaker for the whole database: requests fail at once while it is down. With several hosts, it also fails over to the next host
 * that answers.
 */
export class HostMonitor {
  isAway = false;
  private listener: HostListener | undefined;
  private checking: Promise<void> | undefined;
  /** Whether requests wait for the running check. */
  private isDoubted = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly hosts: Hosts,
    private readonly probe: (host: HostAddress) => Promise<ProbeResult>,
  ) {}

  start(listener: HostListener): void {
    this.listener = listener;
    this.check(listener);
  }

  async stop(): Promise<void> {
    this.listener = undefined;
    clearTimeout(this.timer);
    await this.checking;
  }

  /** Resolves when the database can be used, at once unless it is in doubt. @throws ApiError 503 when it is away */
  async ready(): Promise<void> {
    if (this.isDoubted) await this.checking;
    if (this.isAway) throw unavailable('database_away');
  }

  /** Checks now, because a connection has failed; requests wait for the result. */
  doubt(): void {
    if (this.listener === undefined || this.isAway) return;
    this.isDoubted = true;
    this.check(this.listener);
  }

  /**
   * Probes all hosts at once and chooses the first usable one in the order of the URL.
   * @param last host that is chosen only if no other is usable
   * @returns the chosen host's result, or the last host's if none is usable
   */
  async choose(last?: HostAddress): Promise<ProbeResult> {
    const order = this.hosts.all.toSorted((one, other) => Number(one === last) - Number(other === last));
    const asked = order.map((host) => ({ host, sign: this.probe(host) }));
    let seen: ProbeResult = { usable: false, trouble: 'none of its hosts answers' };
    for (const { host, sign } of asked) {
      seen = await sign;
      if (!seen.usable) continue;
      this.hosts.current = host;
      break;
    }
    return seen;
  }

  /** Runs one check at a time, and schedules the next. */
  private check(listener: HostListener): void {
    clearTimeout(this.timer);
    this.checking ??= this.checkOnce(listener).finally(() => {
      this.checking = undefined;
      this.isDoubted = false;
      if (this.listener !== undefined) this.timer = setTimeout(() => this.check(listener), CHECK_PAUSE_MS);
    });
  }

  private async checkOnce(listener: HostListener): Promise<void> {
    const host = this.hosts.current;
    if (!this.isAway) {
      const sign = await this.probe(host);
      listener.onProbe(host, sign);
      if (sign.usable) return;
      this.hosts.dropConnections();
      this.isAway = this.hosts.all.length === 1;
      if (this.isAway) return;
      this.isDoubted = true;
    }
    const sign = await this.choose(host);
    if (!sign.usable) listener.onProbe(host, sign);
    this.isAway = !sign.usable || !(await listener.prepare(this.hosts.current));
    // Otherwise the pools keep connections to this host after another one is chosen.
    if (sign.usable && this.isAway) this.hosts.dropConnections();
  }
}
