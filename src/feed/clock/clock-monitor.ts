import type { OnApplicationShutdown } from '@nestjs/common';
import type { ClockRepository, KnownTime } from '../../database/repositories/clock-repository.js';
import { logger } from '../../platform/logging/logger.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';
import { type ClockBounds, type ClockFault, findClockFault, type Span } from './clock-fault.js';
import { adviceOnClockFault, formatDuration, describeClockFault } from './clock-messages.js';
import type { WallClock } from './wall-clock.js';

/** How often to check, without the database, whether a comparison is due. */
const CHECK_EVERY_MS = 500;
/** How often to compare the clocks, by a query, while the clock is trusted. */
const COMPARE_EVERY_MS = 5_000;
/** A fault counts once this many readings in a row, taken without a pause, show it. */
const READINGS = 3;

interface Reading {
  /** The clock that instants are taken from. */
  own: Span;
  system: Span;
  /** How far the system's clock has stepped away from `own`, in microseconds. */
  steppedUs: number;
  known: KnownTime;
}

/**
 * Decides whether the wall clock can be trusted, by comparing clocks in the background. While it is not trusted the ledger writes nothing,
 * because a wrong instant stays in the feed forever.
 */
export class ClockMonitor implements OnApplicationShutdown {
  private fault: ClockFault | undefined;
  private doubtMessage: string | undefined;
  private trustedUs = 0;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;
  private comparedMs = 0;

  constructor(
    private readonly clock: WallClock,
    private readonly repository: Pick<ClockRepository, 'read'>,
    private readonly bounds: ClockBounds,
    private readonly time: RegistryTime,
  ) {}

  /** Whether the clock is trusted; false until the first comparison. */
  get mayWrite(): boolean {
    return this.clock.isTrusted;
  }

  /** A sentence saying what is wrong and what to do; undefined if no fault is known. */
  get doubt(): string | undefined {
    return this.doubtMessage;
  }

  /** Compares now and then regularly. The database must be open. */
  async begin(): Promise<void> {
    await this.compare();
    this.scheduleNext();
  }

  /** Compares once. If the database is away, the last result stays. */
  async compare(): Promise<void> {
    this.comparedMs = performance.now();
    try {
      let reading = await this.read();
      let fault = this.evaluate(reading);
      for (let i = 1; i < READINGS && fault !== undefined; i++) {
        reading = await this.read();
        fault = this.evaluate(reading);
      }
      this.report(fault, reading);
    } catch (error) {
      logger.debug({ reason: (error as Error).message }, 'the clocks could not be compared');
    }
  }

  onApplicationShutdown(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  private scheduleNext(): void {
    if (this.ended) return;
    this.timer = setTimeout(() => void this.compareIfDue().then(() => this.scheduleNext()), CHECK_EVERY_MS);
    this.timer.unref();
  }

  /** Compares when due, and at every check while the clock is in doubt or has stepped. */
  private async compareIfDue(): Promise<void> {
    this.clock.nowUs();
    const hasStepped = Math.abs(this.clock.stepMs()) * 1_000 > this.bounds.stepUs;
    const isDue = performance.now() - this.comparedMs >= COMPARE_EVERY_MS;
    if (!this.mayWrite || hasStepped || isDue) await this.compare();
  }

  private async read(): Promise<Reading> {
    const [systemFromUs, ownFromUs] = [this.clock.systemUs(), this.clock.nowUs()];
    const known = await this.repository.read();
    const [systemToUs, ownToUs] = [this.clock.systemUs(), this.clock.nowUs()];
    return {
      own: { fromUs: ownFromUs, toUs: ownToUs },
      system: { fromUs: systemFromUs, toUs: systemToUs },
      steppedUs: this.clock.stepMs() * 1_000,
      known,
    };
  }

  /** Trusts our clock while the system's agrees with it, and follows a system's clock that was corrected. */
  private evaluate({ own, system, steppedUs, known }: Reading): ClockFault | undefined {
    const ownFault = this.faultOf(own, known);
    if (ownFault === undefined && Math.abs(steppedUs) <= this.bounds.stepUs) return undefined;
    const systemFault = this.faultOf(system, known);
    if (systemFault !== undefined) return systemFault;
    // The server's clock confirms the system's, and the query was quick enough to distinguish the two.
    const isConfirmed = known.databaseUs !== undefined && system.toUs - system.fromUs <= this.bounds.stepUs;
    if (ownFault === undefined && !isConfirmed) return { kind: 'step', aheadUs: steppedUs, referenceUs: own.toUs };
    this.clock.adopt();
    return undefined;
  }

  private faultOf(span: Span, known: KnownTime): ClockFault | undefined {
    return findClockFault(span, known, this.bounds, this.trustedUs);
  }

  private report(fault: ClockFault | undefined, { system, known }: Reading): void {
    const before = this.fault;
    const print = (us: number): string => this.time.print(us);
    this.fault = fault;
    this.clock.isTrusted = fault === undefined;
    this.doubtMessage =
      fault && `${describeClockFault(fault, print)}: nothing is written; ${adviceOnClockFault(fault)}`;
    if (fault === undefined) this.trustedUs = this.clock.nowUs();
    if (fault?.kind === before?.kind) return;
    const clocks = {
      systemClock: print(system.toUs),
      databaseClock: known.databaseUs === undefined ? undefined : print(known.databaseUs),
      lastInstant: print(known.lastUs),
      lastAtWork: known.seenUs === 0 ? undefined : print(known.seenUs),
    };
    if (fault === undefined) logger.info(clocks, 'the clock is trusted again, and changes are written');
    else logger.error({ ...clocks, bound: this.boundOf(fault) }, `the clock is in doubt: ${this.doubtMessage}`);
  }

  private boundOf({ kind }: ClockFault): string {
    return formatDuration(kind === 'jump' ? this.bounds.jumpUs : this.bounds.stepUs);
  }
}
