import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { VERSION } from '../platform/config/version.js';
import type { BatchTimes, LedgerObserver } from '../feed/writing/ledger-observer.js';
import type { LimitObserver } from '../http/limits/limit-observer.js';
import type { FeedObserver } from '../feed/feed-observer.js';
import { waitedMs } from '../http/caller.js';
import type { RegistryRequest, RegistryResponse } from '../http/request.js';
import type { LiveObserver } from '../listing/live/live-observer.js';
import { droppedLogLines } from '../platform/logging/logger.js';

/** Buckets in seconds, from a cached read to the longest time that a request may take. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 8];
const WAIT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** Up to a full batch; only a group may be larger. */
const BATCH_CHANGES = [1, 2, 4, 8, 16, 32, 64];
/** Other methods share one label, so that clients cannot make new ones. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'OPTIONS']);

/** Metrics that are updated as events happen. Each instance has its own registry, so that a test can start several services. */
@Injectable()
export class Metrics implements LedgerObserver, FeedObserver, LimitObserver, LiveObserver {
  readonly registry = new Registry();
  private inFlight = 0;

  private readonly requests = new Histogram({
    name: 'registry_http_request_duration_seconds',
    help: 'Duration of requests, from the request head to the end of the answer, without waiting for the body or for changes, by method, route template and status',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [this.registry],
  });
  private readonly batchChanges = new Histogram({
    name: 'registry_ledger_batch_changes',
    help: 'Changes committed in one transaction (a batch)',
    buckets: BATCH_CHANGES,
    registers: [this.registry],
  });
  private readonly storedBytes = this.count(
    'registry_stored_bytes_total',
    'Bytes that the database wrote for changes, with their place in its log; an estimate, as the limit of an account counts them',
  );
  private readonly batch = this.wait(
    'registry_ledger_batch_seconds',
    'Duration of a batch, from asking for a transaction to the end of its commit',
  );
  private readonly clockWait = this.wait(
    'registry_ledger_clock_wait_seconds',
    "How long a batch waited for the lock of the feed's clock",
  );
  private readonly clockHeld = this.wait(
    'registry_ledger_clock_held_seconds',
    "How long a batch held the lock of the feed's clock, while all other writers wait",
  );
  private readonly commit = this.wait('registry_ledger_commit_seconds', 'Duration of the COMMIT of a batch');
  private readonly barrierWait = this.wait(
    'registry_read_barrier_wait_seconds',
    'How long an answer waited until everything that it shows was durable',
  );
  private readonly readPointWait = this.wait(
    'registry_read_point_wait_seconds',
    'How long a page of the feed waited for its read point',
  );
  private readonly liveDelay = this.wait(
    'registry_live_delay_seconds',
    'Delay from a change until it was sent to all live followers that were caught up',
  );
  private readonly retries = this.count(
    'registry_ledger_retries_total',
    'Batches that were rolled back by the database and retried',
  );
  private readonly unknownOutcomes = this.count(
    'registry_ledger_unknown_outcomes_total',
    'Commits without an answer from the database, whose outcome had to be looked up',
  );
  private readonly unavailable = new Counter({
    name: 'registry_unavailable_total',
    help: 'Requests that were answered 503, by the reason',
    labelNames: ['reason'],
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: 'registry_rate_limit_refusals_total',
    help: 'Requests refused with 429, by rate limit',
    labelNames: ['limit'],
    registers: [this.registry],
  });
  private readonly requestsInFlight: Gauge = new Gauge({
    name: 'registry_http_requests_in_flight',
    help: 'Requests in progress',
    registers: [this.registry],
    collect: () => this.requestsInFlight.set(this.inFlight),
  });

  constructor() {
    countDroppedLines(this.registry);
    this.addBuildInfo();
  }

  private addBuildInfo(): void {
    const build = new Gauge({
      name: 'registry_build_info',
      help: 'Version of the registry and of the Node that runs it; the value is always 1',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    });
    build.set({ version: VERSION, node: process.versions.node }, 1);
  }

  /** Adds prom-client's default metrics of the process and its event loop. Called only if metrics are served, because they cost a little. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Middleware for all requests. */
  readonly timeRequest = (request: RegistryRequest, response: RegistryResponse): void => {
    this.inFlight++;
    response.once('close', () => {
      this.inFlight--;
      const method = METHODS.has(request.method) ? request.method : 'other';
      // Otherwise a request that its client cancelled would count as a 200.
      const status = response.writableFinished ? response.statusCode : 'broken off';
      const labels = { method, route: request.route?.path ?? 'none', status };
      this.requests.observe(labels, waitedMs(request) / 1_000);
      if (request.unavailable !== undefined) this.unavailable.inc({ reason: request.unavailable });
    });
  };

  committed({ changes, bytes, totalMs, clockWaitMs, clockHeldMs, commitMs }: BatchTimes): void {
    this.batchChanges.observe(changes);
    this.storedBytes.inc(bytes);
    this.batch.observe(totalMs / 1_000);
    this.clockWait.observe(clockWaitMs / 1_000);
    this.clockHeld.observe(clockHeldMs / 1_000);
    this.commit.observe(commitMs / 1_000);
  }

  retried(): void {
    this.retries.inc();
  }

  outcomeUnknown(): void {
    this.unknownOutcomes.inc();
  }

  waitedForBarrier(ms: number): void {
    this.barrierWait.observe(ms / 1_000);
  }

  waitedForReadPoint(ms: number): void {
    this.readPointWait.observe(ms / 1_000);
  }

  sent(ms: number): void {
    this.liveDelay.observe(ms / 1_000);
  }

  /** @param limit `reads`, `writes`, `keys` or `bytes` */
  refusedByLimit(limit: string): void {
    this.refusals.inc({ limit });
  }

  private wait(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: WAIT_SECONDS, registers: [this.registry] });
  }

  private count(name: string, help: string): Counter {
    return new Counter({ name, help, registers: [this.registry] });
  }
}

/** Counts the lines that the log has dropped. */
function countDroppedLines(registry: Registry): void {
  const dropped = new Counter({
    name: 'registry_log_lines_dropped_total',
    help: 'Log lines dropped because the reader of the log did not keep up',
    registers: [registry],
    collect: () => {
      dropped.reset();
      dropped.inc(droppedLogLines());
    },
  });
}
