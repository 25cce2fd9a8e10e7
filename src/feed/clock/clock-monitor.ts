import type { OnApplicationShutdown } from '@nestjs/common';
import type { ClockRepository, KnownTime } from '../../database/repositories/clock-repository.js';
import { logger } from '../../platform/logging/logger.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';
import { type ClockBounds, type ClockFault, findClockFault, type Span } from './clock-fault.js';
import { adviceOnClockFault, lengthInWords, describeClockFault } from './clock-messages.js';
import type { WallClock } from './wall-clock.js';

/** How often it is checked, without the database, whether a comparison is due. A comparison asks the database. */
const LOOK_EVERY_MS = 500;
/** How often the clocks are compared while there is no doubt. */
const COMPARE_EVERY_MS = 5_000;
/** A doubt counts once this many readings in a row, taken without a pause, show it. */
const READINGS = 3;

interface Reading {
  /** The clock that instants are taken from. */
  own: Span;
  system: Span;
  /** How far the system's clock has stepped away from it, in microseconds. */
  steppedUs: number;
  known: KnownTime;
}

/**
 * Decides whether the time can be believed. While it cannot, nothing is written: an instant that was given out wrongly stays for ever. It
 * compares the clocks in the background. Writes only ask the clock whether it is believed.
 */
export class ClockMonitor implements OnApplicationShutdown {
  private fault: ClockFault | undefined;
  private told: string | undefined;
  private workedUs = 0;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;
  private comparedMs = 0;

  constructor(
    private readonly clock: WallClock,
    private readonly repository: Pick<ClockRepository, 'read'>,
    private readonly bounds: ClockBounds,
    private readonly time: RegistryTime,
  ) {}

  /** Whether the time is believed; false until the first comparison. */
  get mayWrite(): boolean {
    return this.clock.isBelieved;
  }

  /** What is wrong and what to do, in a sentence; undefined where nothing is known to be wrong. */
  get doubt(): string | undefined {
    return this.told;
  }

  /** Compares now, and regularly from then on. The database must be open. */
  async begin(): Promise<void> {
    await this.judge();
    this.goOn();
  }

  /** Compares once. While the database is away the last result stands. */
  async judge(): Promise<void> {
    this.comparedMs = performance.now();
    try {
      let reading = await this.read();
      let fault = this.weigh(reading);
      for (let i = 1; i < READINGS && fault !== undefined; i++) {
        reading = await this.read();
        fault = this.weigh(reading);
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

  private goOn(): void {
    if (this.ended) return;
    this.timer = setTimeout(() => void this.look().then(() => this.goOn()), LOOK_EVERY_MS);
    this.timer.unref();
  }

  /** Compares when it is due, and at every check while the time is in doubt or the system's clock has stepped. */
  private async look(): Promise<void> {
    this.clock.nowUs();
    const hasStepped = Math.abs(this.clock.stepMs()) * 1_000 > this.bounds.stepUs;
    const isDue = performance.now() - this.comparedMs >= COMPARE_EVERY_MS;
    if (!this.mayWrite || hasStepped || isDue) await this.judge();
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

  /** Believes our own clock while the system's agrees with it, and follows a system's clock that was set right. */
  private weigh({ own, system, steppedUs, known }: Reading): ClockFault | undefined {
    const ownFault = this.faultOf(own, known);
    if (ownFault === undefined && Math.abs(steppedUs) <= this.bounds.stepUs) return undefined;
    const systemFault = this.faultOf(system, known);
    if (systemFault !== undefined) return systemFault;
    // The server's clock confirms the system's, and answered quickly enough to tell the right one from the wrong one.
    const isVouchedFor = known.databaseUs !== undefined && system.toUs - system.fromUs <= this.bounds.stepUs;
    if (ownFault === undefined && !isVouchedFor) return { kind: 'step', byUs: steppedUs, ofUs: own.toUs };
    this.clock.adopt();
    return undefined;
  }

  private faultOf(span: Span, known: KnownTime): ClockFault | undefined {
    return findClockFault(span, known, this.bounds, this.workedUs);
  }

  private report(fault: ClockFault | undefined, { system, known }: Reading): void {
    const before = this.fault;
    const print = (us: number): string => this.time.print(us);
    this.fault = fault;
    this.clock.isBelieved = fault === undefined;
    this.told = fault && `${describeClockFault(fault, print)}: nothing is written; ${adviceOnClockFault(fault)}`;
    if (fault === undefined) this.workedUs = this.clock.nowUs();
    if (fault?.kind === before?.kind) return;
    const clocks = {
      systemClock: print(system.toUs),
      databaseClock: known.databaseUs === undefined ? undefined : print(known.databaseUs),
      lastInstant: print(known.lastUs),
      lastAtWork: known.seenUs === 0 ? undefined : print(known.seenUs),
    };
    if (fault === undefined) logger.info(clocks, 'the clock is believed again, and changes are written');
    else logger.error({ ...clocks, bound: this.boundOf(fault) }, `the clock is in doubt: ${this.told}`);
  }

  private boundOf({ kind }: ClockFault): string {
    return lengthInWords(kind === 'jump' ? this.bounds.jumpUs : this.bounds.stepUs);
  }
}
