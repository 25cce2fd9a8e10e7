import { Injectable, Optional } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { ClockMonitor } from '../feed/clock/clock-monitor.js';
import { WallClock } from '../feed/clock/wall-clock.js';
import type { ConnectionUse } from '../database/connections/connection-use.js';
import { Database } from '../database/database.js';
import { Ledger } from '../feed/writing/ledger.js';
import { SettledWatermark } from '../feed/watermarks.js';
import { LogFollower } from '../log/log-follower.js';
import { LiveListing } from '../listing/live/live-listing.js';
import { Metrics } from './metrics.js';

/** Metrics that are read at each scrape and cost nothing in between. */
@Injectable()
export class StateMetrics {
  constructor(
    private readonly metrics: Metrics,
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly settled: SettledWatermark,
    private readonly clock: WallClock,
    private readonly clockMonitor: ClockMonitor,
    private readonly live: LiveListing,
    @Optional() log?: LogFollower,
  ) {
    this.addLedger();
    this.addClock();
    this.addLive();
    if (log !== undefined) this.addLog(log);
    this.addConnections('in_use', 'Connections to the database server in use, by side', ({ inUse }) => inUse);
    this.addConnections(
      'waiting',
      'Callers that wait for a connection to the database server, by side',
      ({ waiting }) => waiting,
    );
  }

  private addLedger(): void {
    const { ledger, database } = this;
    this.add('registry_ledger_queue_changes', 'Changes in the queue of the ledger', () => ledger.waiting.changes);
    const bytes = 'Approximate size of the changes in the queue of the ledger';
    this.add('registry_ledger_queue_bytes', bytes, () => ledger.waiting.bytes);
    const up = 'Whether the database is available: 1, or 0 while requests are answered with 503';
    this.add('registry_database_up', up, () => (database.isAway ? 0 : 1));
  }

  private addLive(): void {
    const { live } = this;
    this.add('registry_live_streams', 'Clients that follow the feed as a stream of events', () => live.counts.streams);
    this.add('registry_live_waits', 'Requests that wait for the next change of the feed', () => live.counts.waits);
  }

  private addClock(): void {
    const feed =
      'Watermark of the feed: everything up to this Unix time is committed and visible; 0 before the first change';
    this.add('registry_feed_clock_seconds', feed, () => this.settled.us / 1_000_000);
    const trusted = 'Whether the system clock is trusted: 1, or 0 while all writes are refused';
    this.add('registry_clock_believed', trusted, () => (this.clockMonitor.mayWrite ? 1 : 0));
    const step = 'How far the system clock has stepped away from the clock of the service, in either direction';
    this.add('registry_clock_step_seconds', step, () => {
      this.clock.nowUs();
      return Math.abs(this.clock.stepMs()) / 1_000;
    });
  }

  private addLog(log: LogFollower): void {
    const entries = 'Entries of the log of public states that are signed';
    this.add('registry_transparency_log_entries', entries, () => log.signedLog.entries);
    const clock =
      'Watermark of the log: every public state up to this Unix time is in a signed checkpoint; 0 before the first';
    this.add('registry_transparency_log_clock_seconds', clock, () => log.signedLog.untilUs / 1_000_000);
  }

  private add(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [this.metrics.registry],
      collect: () => gauge.set(read()),
    });
  }

  private addConnections(what: string, help: string, read: (connections: ConnectionUse) => number): void {
    const gauge: Gauge = new Gauge({
      name: `registry_database_connections_${what}`,
      help,
      labelNames: ['side'],
      registers: [this.metrics.registry],
      collect: () => {
        for (const side of ['writer', 'reader'] as const) gauge.set({ side }, read(this.database.connections[side]));
      },
    });
  }
}
