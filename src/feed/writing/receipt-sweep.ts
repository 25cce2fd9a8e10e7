import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { logger } from '../../logging/logger.js';
import { Ledger } from './ledger.js';

const EVERY_MS = 3_600_000;

/** Once an hour, removes what is kept of creations whose day is over. */
@Injectable()
export class ReceiptSweep implements OnApplicationBootstrap, OnApplicationShutdown {
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
    try {
      await this.ledger.forgetReceipts();
    } catch (error) {
      // The next one will find them as well.
      logger.warn({ reason: (error as Error).message }, 'old receipts could not be removed');
    }
  }
}
