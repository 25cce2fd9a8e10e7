import { Injectable } from '@nestjs/common';
import { WallClock } from '../feed/clock/wall-clock.js';
import type { FoundKey } from '../database/readers/access-reader.js';
import { isDatabaseFailure } from '../feed/writing/ledger-store.js';
import { Ledger } from '../feed/writing/ledger.js';
import { logger } from '../platform/logging/logger.js';
import { RegistryTime } from '../platform/time/registry-time.js';

/** Keeps the day on which each key was used last: one small write for each key and day. */
@Injectable()
export class KeyUsage {
  /** Ids of the keys whose day is being written. */
  private readonly underWay = new Set<string>();

  constructor(
    private readonly ledger: Ledger,
    private readonly clock: WallClock,
    private readonly time: RegistryTime,
  ) {}

  /** Told of every key that was accepted; nobody waits for it. */
  note({ id, usedDay }: Pick<FoundKey, 'id' | 'usedDay'>): void {
    // Nobody knows which day it is; the next request with the key does.
    if (!this.clock.isTrusted) return;
    const today = this.time.day(this.clock.nowUs());
    if ((usedDay !== null && usedDay >= today) || this.underWay.has(id)) return;
    this.underWay.add(id);
    void this.write(id, today);
  }

  private async write(id: string, day: string): Promise<void> {
    try {
      await this.ledger.markKeyUsed(id, day);
    } catch (error) {
      // The next request with it tries again.
      const level = isDatabaseFailure(error) ? 'debug' : 'warn';
      logger[level]({ key: id, reason: (error as Error).message }, 'the use of a key could not be noted');
    } finally {
      this.underWay.delete(id);
    }
  }
}
