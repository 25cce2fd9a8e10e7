import { Module } from '@nestjs/common';
import { formatAssetId } from '../assets/identifiers.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { Database } from '../database/database.js';
import { TypeOrmLedgerStore } from '../database/typeorm-ledger-store.js';
import { RegistryTime } from '../time/registry-time.js';
import { DurableClock } from './durable-clock.js';
import { Ledger } from './ledger.js';
import { SettledClock } from './settled-clock.js';
import { SYSTEM_TIMING } from './timing.js';
import { WallClock } from './wall-clock.js';

@Module({
  providers: [
    SettledClock,
    { provide: WallClock, useFactory: () => new WallClock() },
    {
      provide: DurableClock,
      inject: [Database],
      useFactory: (database: Database) =>
        new DurableClock({ needsBarrier: () => database.durability.needsBarrier, flush: () => database.flush() }),
    },
    {
      provide: Ledger,
      inject: [TypeOrmLedgerStore, WallClock, SettledClock, DurableClock, RegistryTime, CONFIG],
      useFactory: (
        store: TypeOrmLedgerStore,
        wallClock: WallClock,
        settled: SettledClock,
        durable: DurableClock,
        time: RegistryTime,
        { assetIdPrefix }: Config,
      ) =>
        new Ledger({
          store,
          timing: SYSTEM_TIMING,
          committed: (lastUs) => {
            settled.raise(lastUs);
            durable.raise(lastUs);
          },
          // Never behind what this process has seen, should the database ever fall back.
          candidateUs: () => Math.max(wallClock.nowUs(), settled.us + 1),
          dayOf: (us) => time.day(us),
          assetIdOf: (day, number) => formatAssetId(assetIdPrefix, day, number),
        }),
    },
  ],
  exports: [Ledger, DurableClock, SettledClock, WallClock],
})
export class LedgerModule {}
