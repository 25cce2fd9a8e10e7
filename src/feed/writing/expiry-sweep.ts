import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Session } from '../../database/connections/session.js';
import { deleteReceiptsBefore } from '../../database/repositories/receipts.js';
import { deleteExpiredCodes } from '../../database/repositories/transfer-codes.js';
import { logger } from '../../platform/logging/logger.js';
import { WallClock } from '../clock/wall-clock.js';
import { RECEIPT_TTL_US } from './decide.js';
import { Ledger } from './ledger.js';
import { isDatabaseFailure } from './ledger-store.js';

const SWEEP_INTERVAL_MS = 3_600_000;
/** Rows deleted by one transaction: few, so that changes do not wait long. */
const ROWS_PER_TRANSACTION = 500;

/** Removes expired receipts and transfer codes once an hour. */
@Injectable()
export class ExpirySweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly ledger: Ledger,
    private readonly clock: WallClock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async sweep(): Promise<void> {
    const us = this.clock.nowUs();
    await this.remove('receipts', (session) =>
      deleteReceiptsBefore(session, us - RECEIPT_TTL_US, ROWS_PER_TRANSACTION),
    );
    await this.remove('transfer codes', (session) => deleteExpiredCodes(session, us, ROWS_PER_TRANSACTION));
  }

  /** Removes rows in chunks. After a failure the next sweep finds them again. */
  private async remove(what: string, removeSome: (session: Session) => Promise<number>): Promise<void> {
    try {
      while ((await this.ledger.runBetweenBatches(removeSome)) === ROWS_PER_TRANSACTION);
    } catch (error) {
      const level = isDatabaseFailure(error) ? 'debug' : 'warn';
      logger[level]({ reason: (error as Error).message }, `expired ${what} could not be removed`);
    }
  }
}
