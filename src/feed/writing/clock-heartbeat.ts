import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ClockMonitor } from '../clock/clock-monitor.js';
import { Database } from '../../database/database.js';
import { logger } from '../../platform/logging/logger.js';
import { Ledger } from './ledger.js';
import { isDatabaseFailure } from './ledger-store.js';

const CHECK_EVERY_MS = 60_000;
/** Much less than any pause after which the clock is in doubt. */
const NOTE_EVERY_MS = 3_600_000;

/**
 * Stores once an hour when the registry was at work. The next start compares its clock with that: after weeks without a change, the last
 * instant is too old for the comparison.
 */
@Injectable()
export class ClockHeartbeat implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private notedMs = -Infinity;

  constructor(
    private readonly ledger: Ledger,
    private readonly clockMonitor: ClockMonitor,
    private readonly database: Database,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.note(), CHECK_EVERY_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async note(): Promise<void> {
    // While the database refuses writes, this write also finds out when it accepts them again.
    const isDue = performance.now() - this.notedMs >= NOTE_EVERY_MS || this.database.writes.refusal !== undefined;
    if (!this.clockMonitor.mayWrite || !isDue) return;
    try {
      await this.ledger.noteTime();
      this.notedMs = performance.now();
    } catch (error) {
      // The next try is in a minute.
      const level = isDatabaseFailure(error) ? 'debug' : 'warn';
      logger[level](
        { reason: (error as Error).message },
        'the time at which the registry is at work could not be stored',
      );
    }
  }
}
