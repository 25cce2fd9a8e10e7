import { setTimeout as sleep } from 'node:timers/promises';
import { isMissingTable } from '../dialects/error-code.js';
import { RENEWAL_MS } from '../connections/lease.js';
import type { Session } from '../connections/session.js';

/** A process that has not renewed its lease for so long is dead, or has lost the database and looks at it again before it goes on. */
const LEASE_MS = 4 * RENEWAL_MS;
const PAUSE_MS = 250;

type LeaseRow = Record<'id' | 'host', string> & Record<'pid' | 'since_us' | 'renewed_us', unknown>;

/**
 * The leases of the services of a database, as a command sees them that needs the database for itself. Whether one lives is seen by its
 * being renewed, and not by a clock: those of a cluster's nodes differ, and any may be wrong.
 */
export class Leases {
  /** When each was renewed last, as it was first seen. */
  private readonly seen = new Map<string, unknown>();

  constructor(
    private readonly session: Session,
    private readonly leaseMs = LEASE_MS,
    private readonly pauseMs = PAUSE_MS,
  ) {}

  /** Waits until those that are left are over. @returns the first that were seen to live, as people name them */
  async waitUntilOver(): Promise<string[]> {
    for (const { id, renewed_us: renewed } of await this.read()) this.seen.set(id, String(renewed));
    const until = performance.now() + this.leaseMs;
    for (;;) {
      // Asked before the look: what was seen before the time was over, and the machine stood still, tells nothing.
      const isLast = performance.now() > until;
      const rows = await this.read();
      const living = this.living(rows);
      if (rows.length === 0 || living.length > 0 || isLast) return living;
      await sleep(this.pauseMs);
    }
  }

  /** Those that were taken or renewed since. */
  async begunSince(): Promise<string[]> {
    return this.living(await this.read());
  }

  private living(rows: LeaseRow[]): string[] {
    return rows.filter(({ id, renewed_us: renewed }) => this.seen.get(id) !== String(renewed)).map(nameOf);
  }

  private async read(): Promise<LeaseRow[]> {
    try {
      return await this.session.query<LeaseRow>('SELECT id, host, pid, since_us, renewed_us FROM service_lease');
    } catch (error) {
      // Of an older version, or not a registry's yet.
      if (isMissingTable(error)) return [];
      throw error;
    }
  }
}

function nameOf({ host, pid, since_us: sinceUs }: LeaseRow): string {
  return `process ${String(pid)} on ${host} since ${new Date(Number(sinceUs) / 1_000).toISOString()}`;
}
