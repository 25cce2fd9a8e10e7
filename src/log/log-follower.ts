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
import { keptCheckpoint } from './checkpoint.js';
import { LogBuilder } from './log-builder.js';
import { LogKeys } from './log-keys.js';
import { LogPublisher } from './log-publisher.js';

/** How often it looks whether there is something new. Steps begin so far apart: a commit that just missed one may wait for a witness twice. */
const LOOK_EVERY_MS = 1_000;
/**
 * While another process extends the log, this one only sees whether it goes on; where a witness is silent, that takes it two seconds a step.
 * What comes after it was killed waits three and a half: one until its last entry is seen, and until the next one is late.
 */
const EXTENDED_ELSEWHERE_MS = 2_500;
/** What takes longer than that is signed in between, and told. */
const SIGNED_EVERY_MS = 5_000;

/** At the end: so long it takes what was committed last, and tries again so soon where another process was first. A witness may take two seconds more. */
const FINISHED_WITHIN_MS = 2_000;
const TRY_AGAIN_MS = 100;

/** Has the log follow the feed. No write waits for it but for a short transaction. */
@Injectable()
export class LogFollower implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly end = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** How many entries this process has seen last: where there are others now, another process extends the log. */
  private knownSize: number | undefined;
  /** When it has seen that last. */
  private elsewhereMs = -Infinity;
  /** Up to this instant nothing was missing when it looked last, in microseconds. The head tells an earlier one where nothing was to be appended. */
  private lookedUs = -1;
  /** Of the feed that it looked at: another history may be put into the database. */
  private lookedEpoch = '';
  private signed = { entries: 0, untilUs: 0 };
  /** Whether nothing was missing at some time since the start, as far as this process has seen. */
  private hasCaughtUp = false;
  private told = '';

  constructor(
    private readonly keys: LogKeys,
    private readonly log: LogReader,
    private readonly feed: ExactFeed,
    private readonly whole: WholeFeed,
    private readonly builder: LogBuilder,
    private readonly publisher: LogPublisher,
    private readonly clockMonitor: ClockMonitor,
  ) {}

  /** What is signed, as this process has seen it last: how many entries, and the instant up to which no state is missing; microseconds. */
  get signedLog(): { entries: number; untilUs: number } {
    return this.signed;
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.end.abort();
    await this.running;
    if (this.hasCaughtUp && this.clockMonitor.mayWrite) await this.finish().catch((error: Error) => this.tell(error));
  }

  /** Every change has been answered by now: those that were committed are not left to whoever starts next. */
  private async finish(): Promise<void> {
    const signal = AbortSignal.timeout(FINISHED_WITHIN_MS);
    while (!(await this.bringUpToDate(await this.log.head(), signal))) await sleep(TRY_AGAIN_MS, undefined, { signal });
  }

  private async run(): Promise<void> {
    while (!this.end.signal.aborted) {
      const pauseMs = await this.step().catch((error: Error) => this.tell(error));
      await sleep(pauseMs, undefined, { signal: this.end.signal }).catch(() => undefined);
    }
  }

  /** Brings the log up to date, unless another process does. @returns after what time to look again, in milliseconds */
  async step(): Promise<number> {
    const beganMs = performance.now();
    const head = await this.log.head();
    if (this.knownSize !== undefined && head.size !== this.knownSize) this.elsewhereMs = beganMs;
    this.knownSize = head.size;
    const leftMs = this.elsewhereMs + EXTENDED_ELSEWHERE_MS - beganMs;
    if (leftMs > 0) {
      this.signed = { entries: signedSize(head), untilUs: head.untilUs };
      this.hasCaughtUp ||= this.signed.entries === head.size;
      return Math.min(LOOK_EVERY_MS, leftMs);
    }
    if (!(await this.bringUpToDate(head, this.end.signal))) return LOOK_EVERY_MS;
    return Math.max(0, LOOK_EVERY_MS - (performance.now() - beganMs));
  }

  /** @returns false where another process was first, or nothing may be written */
  private async bringUpToDate(head: LogHead, signal: AbortSignal): Promise<boolean> {
    const { clockUs, epoch } = await this.whole.clock();
    if (epoch !== this.lookedEpoch) [this.lookedEpoch, this.lookedUs] = [epoch, -1];
    const origin = this.keys.originOf(epoch);
    const hasMore = clockUs > Math.max(head.untilUs, this.lookedUs);
    // Nothing is written while the clock is in doubt: what is read, hashed and countersigned would be for nothing, each time anew.
    if (!this.clockMonitor.mayWrite && (hasMore || this.publisher.isDue(head, origin))) return false;
    const extended = hasMore ? await this.extend(head, origin, signal) : head;
    if (extended === undefined) return false;
    if (this.publisher.isDue(extended, origin)) await this.publisher.publish(extended, origin);
    this.signed = { entries: extended.size, untilUs: Math.max(extended.untilUs, this.lookedUs, 0) };
    this.hasCaughtUp = true;
    this.told = '';
    return true;
  }

  /**
   * Appends all states up to a settled instant. Where that takes long, what is there is signed in between.
   * @returns the head afterwards; undefined where another process was first
   * @throws what `publish` throws
   */
  private async extend(from: LogHead, origin: string, signal: AbortSignal): Promise<LogHead | undefined> {
    const { readPointUs } = await this.feed.settle();
    const missing = await this.builder.missing(Math.max(from.untilUs, this.lookedUs), readPointUs);
    // The hash of a tile that is filled over what somebody has changed would be wrong for ever, also when that is put back.
    if ((from.size % TILE_WIDTH) + missing.remaining >= TILE_WIDTH) await this.publisher.assertHolds(from, origin);
    let head = from;
    let signedMs = performance.now();
    while (missing.remaining > 0) {
      signal.throwIfAborted();
      const next = await this.builder.append(head, missing);
      if (next === undefined) return undefined;
      head = next;
      this.knownSize = head.size;
      if (missing.remaining === 0 || performance.now() - signedMs < SIGNED_EVERY_MS) continue;
      signedMs = performance.now();
      logger.info({ entries: head.size, left: missing.remaining }, 'the log is being built');
      await this.publisher.publish(head, origin);
      // The checkpoint that a further one has to be consistent with.
      head = await this.log.head();
    }
    this.lookedUs = readPointUs;
    return head;
  }

  /** Logs each trouble once; what befalls the database is told elsewhere. @returns after what time to look again, in milliseconds */
  private tell(error: Error): number {
    const isKnown = error instanceof ApiError || isDatabaseFailure(error) || this.end.signal.aborted;
    if (!isKnown && error.message !== this.told) logger.error({ reason: error.message }, 'the log is not extended');
    this.told = error.message;
    return LOOK_EVERY_MS;
  }
}

/** How many entries the head's checkpoint counts. */
function signedSize({ checkpoint }: LogHead): number {
  return keptCheckpoint(checkpoint)?.size ?? 0;
}
