import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ClockJudge } from '../../clock/clock-judge.js';
import { logger } from '../../logging/logger.js';
import { Ledger } from './ledger.js';

const LOOK_EVERY_MS = 60_000;
/** Much less than any time for which a registry may rest before its clock is in doubt. */
const NOTE_EVERY_MS = 3_600_000;

/**
 * Keeps in the database when the registry was at work, once an hour: where nothing is written for weeks, the last instant says too little of
 * whether the next start's clock is right.
 */
@Injectable()
export class TimeWitness implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private notedMs = -Infinity;

  constructor(
    private readonly ledger: Ledger,
    private readonly judge: ClockJudge,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.note(), LOOK_EVERY_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async note(): Promise<void> {
    if (!this.judge.mayWrite || performance.now() - this.notedMs < NOTE_EVERY_MS) return;
    try {
      await this.ledger.noteTime();
      this.notedMs = performance.now();
    } catch (error) {
      // In a minute it is tried again.
      logger.warn({ reason: (error as Error).message }, 'that the registry is at work could not be noted');
    }
  }
}
