import { Injectable } from '@nestjs/common';
import type { FoundKey } from '../database/accounts-repository.js';
import { Ledger } from '../ledger/ledger.js';
import { WallClock } from '../ledger/wall-clock.js';
import { logger } from '../operations/logger.js';
import { RegistryTime } from '../time/registry-time.js';

/** Keeps the day on which each key was used last: one small write for each key and day. */
@Injectable()
export class KeyUsage {
  /** Days by the ids of their keys: what this process has written, or is writing. */
  private readonly noted = new Map<string, string>();

  constructor(
    private readonly ledger: Ledger,
    private readonly clock: WallClock,
    private readonly time: RegistryTime,
  ) {}

  /** Told of every key that was accepted; nobody waits for it. */
  note({ id, usedDay }: Pick<FoundKey, 'id' | 'usedDay'>): void {
    const today = this.time.day(this.clock.nowUs());
    if ((usedDay !== null && usedDay >= today) || this.noted.get(id) === today) return;
    this.noted.set(id, today);
    this.ledger.markKeyUsed(id, today).catch((error: unknown) => {
      // The next request with it tries again.
      this.noted.delete(id);
      logger.warn({ key: id, reason: (error as Error).message }, 'the use of a key could not be noted');
    });
  }
}
