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

interface StateGauge {
  name: string;
  help: string;
  read: () => number;
}

/** Metrics that are read when they are asked for, and cost nothing in between. */
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
    const gauges = [...this.ledgerGauges(), ...this.clockGauges(), ...this.liveGauges(), ...logGauges(log)];
    for (const gauge of gauges) this.add(gauge);
    this.addConnections('in_use', 'Connections to the database server in use, by side', ({ inUse }) => inUse);
    this.addConnections(
      'waiting',
      'Callers that wait for a connection to the database server, by side',
      ({ waiting }) => waiting,
    );
  }

  private ledgerGauges(): StateGauge[] {
    return [
      {
        name: 'registry_ledger_queue_changes',
        help: 'Changes in the queue of the ledger',
        read: () => this.ledger.waiting.changes,
      },
      {
        name: 'registry_ledger_queue_bytes',
        help: 'Approximate size of the changes in the queue of the ledger',
        read: () => this.ledger.waiting.bytes,
      },
      {
        name: 'registry_database_up',
        help: 'Whether the database is available: 1, or 0 while requests are answered with 503',
        read: () => (this.database.isAway ? 0 : 1),
      },
    ];
  }

  private liveGauges(): StateGauge[] {
    return [
      {
        name: 'registry_live_streams',
        help: 'Clients that follow the feed as a stream of events',
        read: () => this.live.counts.streams,
      },
      {
        name: 'registry_live_waits',
        help: 'Requests that wait for the next change of the feed',
        read: () => this.live.counts.waits,
      },
    ];
  }

  private clockGauges(): StateGauge[] {
    return [
      {
        name: 'registry_feed_clock_seconds',
        help: 'Watermark of the feed: everything up to this Unix time is committed and visible; 0 before the first change',
        read: () => this.settled.us / 1_000_000,
      },
      {
        name: 'registry_clock_believed',
        help: 'Whether the system clock is trusted: 1, or 0 while all writes are refused',
        read: () => (this.clockMonitor.mayWrite ? 1 : 0),
      },
      {
        name: 'registry_clock_step_seconds',
        help: 'How far the system clock has stepped away from the clock of the service, in either direction',
        read: () => {
          this.clock.nowUs();
          return Math.abs(this.clock.stepMs()) / 1_000;
        },
      },
    ];
  }

  private add({ read, ...described }: StateGauge): void {
    const gauge: Gauge = new Gauge({
      ...described,
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

function logGauges(log: LogFollower | undefined): StateGauge[] {
  if (log === undefined) return [];
  return [
    {
      name: 'registry_transparency_log_entries',
      help: 'Entries of the log of public states that are signed',
      read: () => log.signedLog.entries,
    },
    {
      name: 'registry_transparency_log_clock_seconds',
      help: 'Watermark of the log: every public state up to this Unix time is in a signed checkpoint; 0 before the first',
      read: () => log.signedLog.untilUs / 1_000_000,
    },
  ];
}
