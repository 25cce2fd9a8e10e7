import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { logger } from '../../platform/logging/logger.js';
import { Ledger } from './ledger.js';
import { isDatabaseFailure } from './ledger-store.js';

const EVERY_MS = 3_600_000;

/** Removes expired receipts and transfer codes once an hour. */
@Injectable()
export class ExpirySweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ledger: Ledger) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), EVERY_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    await this.remove('receipts', () => this.ledger.forgetReceipts());
    await this.remove('transfer codes', () => this.ledger.forgetCodes());
  }

  /** Where they cannot be, the next sweep finds them as well. */
  private async remove(what: string, forget: () => Promise<void>): Promise<void> {
    try {
      await forget();
    } catch (error) {
      const level = isDatabaseFailure(error) ? 'debug' : 'warn';
      logger[level]({ reason: (error as Error).message }, `expired ${what} could not be removed`);
    }
  }
}
