import { Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { Database } from '../database/database.js';
import { TypeOrmLedgerStore } from '../database/typeorm-ledger-store.js';
import { RegistryTime } from '../time/registry-time.js';
import { createLedger } from './create-ledger.js';
import { DurableClock } from './durable-clock.js';
import { Ledger } from './ledger.js';
import { LEDGER_OBSERVER, type LedgerObserver } from './ledger-observer.js';
import { ReceiptSweep } from './receipt-sweep.js';
import { SettledClock } from './settled-clock.js';
import { SYSTEM_TIMING } from './timing.js';
import { WallClock } from './wall-clock.js';

@Module({
  providers: [
    SettledClock,
    ReceiptSweep,
    { provide: WallClock, useFactory: () => new WallClock() },
    {
      provide: DurableClock,
      inject: [Database, LEDGER_OBSERVER],
      useFactory: (database: Database, observer: LedgerObserver) =>
        new DurableClock(
          { needsBarrier: () => database.durability.needsBarrier, flush: () => database.flush() },
          observer,
        ),
    },
    {
      provide: Ledger,
      inject: [TypeOrmLedgerStore, WallClock, SettledClock, DurableClock, RegistryTime, CONFIG, LEDGER_OBSERVER],
      useFactory: (
        store: TypeOrmLedgerStore,
        wallClock: WallClock,
        settled: SettledClock,
        durable: DurableClock,
        time: RegistryTime,
        { assetIdPrefix }: Config,
        observer: LedgerObserver,
      ) =>
        createLedger({
          store,
          timing: SYSTEM_TIMING,
          wallClock,
          settled,
          durable,
          dayOf: (us) => time.day(us),
          assetIdPrefix,
          observer,
        }),
    },
  ],
  exports: [Ledger, DurableClock, SettledClock, WallClock],
})
export class LedgerModule {}
