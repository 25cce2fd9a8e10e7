import { Injectable } from '@nestjs/common';
import { WallClock } from '../feed/clock/wall-clock.js';
import type { FoundKey } from '../database/readers/access-reader.js';
import { isDatabaseFailure } from '../feed/writing/ledger-store.js';
import { Ledger } from '../feed/writing/ledger.js';
import { logger } from '../platform/logging/logger.js';
import { RegistryTime } from '../platform/time/registry-time.js';

/** Records the day on which each key was last used: one small write per key and day. */
@Injectable()
export class KeyUsage {
  /** Ids of the keys whose day is being written. */
  private readonly pending = new Set<string>();

  constructor(
    private readonly ledger: Ledger,
    private readonly clock: WallClock,
    private readonly time: RegistryTime,
  ) {}

  /** Records the use of an accepted key, without making the request wait. */
  note({ id, usedDay }: Pick<FoundKey, 'id' | 'usedDay'>): void {
    // The clock is in doubt, so the day is unknown; a later request with the key records it.
    if (!this.clock.isTrusted) return;
    const today = this.time.day(this.clock.nowUs());
    if ((usedDay !== null && usedDay >= today) || this.pending.has(id)) return;
    this.pending.add(id);
    void this.write(id, today);
  }

  private async write(id: string, day: string): Promise<void> {
    try {
      await this.ledger.markKeyUsed(id, day);
    } catch (error) {
      // The next request with it tries again.
      const level = isDatabaseFailure(error) ? 'debug' : 'warn';
      logger[level]({ key: id, reason: (error as Error).message }, 'the use of a key could not be recorded');
    } finally {
      this.pending.delete(id);
    }
  }
}
