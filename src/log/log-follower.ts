import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TILE_WIDTH } from '#tlog';
import { ClockMonitor } from '../feed/clock/clock-monitor.js';
import type { LogHead } from '../database/entities/log-head.entity.js';
import { LogReader } from '../database/readers/log-reader.js';
import { ApiError } from '../platform/errors/api-error.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { WholeFeed } from '../feed/reading/whole-feed.js';
import { isDatabaseFailure } from '../feed/writing/ledger-store.js';
import { logger } from '../platform/logging/logger.js';
import { storedCheckpoint } from './checkpoint.js';
import { LogBuilder } from './log-builder.js';
import { LogKeys } from './log-keys.js';
import { LogPublisher } from './log-publisher.js';

/** Interval between the starts of steps. */
const STEP_EVERY_MS = 1_000;
/**
 * How long after an append by another process this one leaves the log to it: longer than a step that waits two seconds for a silent witness.
 * If the other process is killed, this one takes over within 3.5 seconds.
 */
const EXTENDED_ELSEWHERE_MS = 2_500;
/** A long catch-up signs and logs its progress at this interval. */
const SIGN_EVERY_MS = 5_000;

/** Time for the last appends at shutdown; a witness may take two seconds more. */
const SHUTDOWN_TIMEOUT_MS = 2_000;
const SHUTDOWN_RETRY_MS = 100;

/** Keeps the log up to date with the feed. Writes wait only for its short transactions. */
@Injectable()
export class LogFollower implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly end = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** The log's size as last seen. If it differs now, another process extends the log. */
  private knownSize: number | undefined;
  /** When another process was last seen extending the log. */
  private elsewhereMs = -Infinity;
  /** The log has all states up to this instant, in microseconds; may be later than the head's if there was nothing to append. */
  private completeUs = -1;
  /** The epoch of `completeUs`: a restore starts another one. */
  private completeEpoch = '';
  private signed = { entries: 0, untilUs: 0 };
  /** Whether the log was complete at some time since the start. */
  private hasCaughtUp = false;
  private lastError = '';

  constructor(
    private readonly keys: LogKeys,
    private readonly log: LogReader,
    private readonly feed: ExactFeed,
    private readonly whole: WholeFeed,
    private readonly builder: LogBuilder,
    private readonly publisher: LogPublisher,
    private readonly clockMonitor: ClockMonitor,
  ) {}

  /** The number of signed entries, and the instant in microseconds up to which they are complete, as last seen by this process. */
  get signedLog(): { entries: number; untilUs: number } {
    return this.signed;
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.end.abort();
    await this.running;
    if (this.hasCaughtUp && this.clockMonitor.mayWrite) await this.finish().catch((error: Error) => this.report(error));
  }

  /** Appends the last changes at shutdown, when all requests are answered, so that they need not wait for the next start. */
  private async finish(): Promise<void> {
    const signal = AbortSignal.timeout(SHUTDOWN_TIMEOUT_MS);
    while (!(await this.bringUpToDate(await this.log.head(), signal)))
      await sleep(SHUTDOWN_RETRY_MS, undefined, { signal });
  }

  private async run(): Promise<void> {
    while (!this.end.signal.aborted) {
      const pauseMs = await this.step().catch((error: Error) => this.report(error));
      await sleep(pauseMs, undefined, { signal: this.end.signal }).catch(() => undefined);
    }
  }

  /** Brings the log up to date, unless another process does. @returns the pause before the next step, in milliseconds */
  async step(): Promise<number> {
    const beganMs = performance.now();
    const head = await this.log.head();
    if (this.knownSize !== undefined && head.size !== this.knownSize) this.elsewhereMs = beganMs;
    this.knownSize = head.size;
    const leftMs = this.elsewhereMs + EXTENDED_ELSEWHERE_MS - beganMs;
    if (leftMs > 0) {
      this.signed = { entries: signedSize(head), untilUs: head.untilUs };
      this.hasCaughtUp ||= this.signed.entries === head.size;
      return Math.min(STEP_EVERY_MS, leftMs);
    }
    if (!(await this.bringUpToDate(head, this.end.signal))) return STEP_EVERY_MS;
    return Math.max(0, STEP_EVERY_MS - (performance.now() - beganMs));
  }

  /** @returns false if another process was first, or writes are not permitted */
  private async bringUpToDate(head: LogHead, signal: AbortSignal): Promise<boolean> {
    const { clockUs, epoch } = await this.whole.clock();
    if (epoch !== this.completeEpoch) [this.completeEpoch, this.completeUs] = [epoch, -1];
    const origin = this.keys.originOf(epoch);
    const hasMore = clockUs > Math.max(head.untilUs, this.completeUs);
    // While the clock is in doubt the ledger would refuse the append, so don't read, hash and countersign in vain.
    if (!this.clockMonitor.mayWrite && (hasMore || this.publisher.isDue(head, origin))) return false;
    const extended = hasMore ? await this.extend(head, origin, signal) : head;
    if (extended === undefined) return false;
    if (this.publisher.isDue(extended, origin)) await this.publisher.publish(extended, origin);
    this.signed = { entries: extended.size, untilUs: Math.max(extended.untilUs, this.completeUs, 0) };
    this.hasCaughtUp = true;
    this.lastError = '';
    return true;
  }

  /**
   * Appends all states up to a settled instant. Signs in between if that takes long.
   * @returns the new head; undefined if another process was first
   * @throws the errors of `publish`
   */
  private async extend(from: LogHead, origin: string, signal: AbortSignal): Promise<LogHead | undefined> {
    const { readPointUs } = await this.feed.settle();
    const missing = await this.builder.missing(Math.max(from.untilUs, this.completeUs), readPointUs);
    // Filling a tile over tampered entries would store a wrong hash forever, even if the entries were restored later.
    if ((from.size % TILE_WIDTH) + missing.remaining >= TILE_WIDTH) await this.publisher.assertUnchanged(from, origin);
    let head = from;
    let signedMs = performance.now();
    while (missing.remaining > 0) {
      signal.throwIfAborted();
      const next = await this.builder.append(head, missing);
      if (next === undefined) return undefined;
      head = next;
      this.knownSize = head.size;
      if (missing.remaining === 0 || performance.now() - signedMs < SIGN_EVERY_MS) continue;
      signedMs = performance.now();
      logger.info({ entries: head.size, left: missing.remaining }, 'the log is being built');
      await this.publisher.publish(head, origin);
      // The next checkpoint has to be consistent with this one.
      head = await this.log.head();
    }
    this.completeUs = readPointUs;
    return head;
  }

  /** Logs each error once, except database failures, which are logged elsewhere. @returns the pause before the next step, in milliseconds */
  private report(error: Error): number {
    const isKnown = error instanceof ApiError || isDatabaseFailure(error) || this.end.signal.aborted;
    if (!isKnown && error.message !== this.lastError)
      logger.error({ reason: error.message }, 'the log is not extended');
    this.lastError = error.message;
    return STEP_EVERY_MS;
  }
}

/** The number of entries that the head's checkpoint covers. */
function signedSize({ checkpoint }: LogHead): number {
  return storedCheckpoint(checkpoint)?.size ?? 0;
}
