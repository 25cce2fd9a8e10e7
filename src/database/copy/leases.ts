import { setTimeout as sleep } from 'node:timers/promises';
import { isMissingTable } from '../dialects/error-code.js';
import { RENEWAL_MS } from '../connections/lease.js';
import type { Session } from '../connections/session.js';

/** After so long without a renewal a process is dead, or has lost the database and will check it again before it continues. */
const LEASE_MS = 4 * RENEWAL_MS;
const PAUSE_MS = 250;

type LeaseRow = Record<'id' | 'host', string> & Record<'pid' | 'since_us' | 'renewed_us', unknown>;

/**
 * The leases of a database's services, for a command that needs exclusive use. A lease is active if it is being renewed; its age does not
 * matter, because clocks of a cluster's nodes differ, and any may be wrong.
 */
export class Leases {
  /** Each lease's renewal time when first read. */
  private readonly firstSeen = new Map<string, unknown>();

  constructor(
    private readonly session: Session,
    private readonly leaseMs = LEASE_MS,
    private readonly pauseMs = PAUSE_MS,
  ) {}

  /** Waits until all leases have expired. @returns the first active ones, for a message */
  async waitUntilExpired(): Promise<string[]> {
    for (const { id, renewed_us: renewed } of await this.read()) this.firstSeen.set(id, String(renewed));
    const until = performance.now() + this.leaseMs;
    for (;;) {
      // Before the read: a read before the deadline proves nothing if the machine paused after it.
      const isLast = performance.now() > until;
      const rows = await this.read();
      const active = this.living(rows);
      if (rows.length === 0 || active.length > 0 || isLast) return active;
      await sleep(this.pauseMs);
    }
  }

  /** Leases that were acquired or renewed since. */
  async activeSince(): Promise<string[]> {
    return this.living(await this.read());
  }

  private living(rows: LeaseRow[]): string[] {
    return rows.filter(({ id, renewed_us: renewed }) => this.firstSeen.get(id) !== String(renewed)).map(nameOf);
  }

  private async read(): Promise<LeaseRow[]> {
    try {
      return await this.session.query<LeaseRow>('SELECT id, host, pid, since_us, renewed_us FROM service_lease');
    } catch (error) {
      // An older version, or not a registry's database yet.
      if (isMissingTable(error)) return [];
      throw error;
    }
  }
}

function nameOf({ host, pid, since_us: sinceUs }: LeaseRow): string {
  return `process ${String(pid)} on ${host} since ${new Date(Number(sinceUs) / 1_000).toISOString()}`;
}
