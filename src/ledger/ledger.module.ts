import { Module } from '@nestjs/common';
import { formatAssetId } from '../assets/identifiers.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { TypeOrmLedgerStore } from '../database/typeorm-ledger-store.js';
import { RegistryTime } from '../time/registry-time.js';
import { Ledger } from './ledger.js';
import { SettledClock } from './settled-clock.js';
import { WallClock } from './wall-clock.js';

@Module({
  providers: [
    SettledClock,
    { provide: WallClock, useFactory: () => new WallClock() },
    {
      provide: Ledger,
      inject: [TypeOrmLedgerStore, WallClock, SettledClock, RegistryTime, CONFIG],
      useFactory: (
        store: TypeOrmLedgerStore,
        wallClock: WallClock,
        settled: SettledClock,
        time: RegistryTime,
        { assetIdPrefix }: Config,
      ) =>
        new Ledger({
          store,
          committed: (lastUs) => settled.raise(lastUs),
          // Never behind what this process has seen, should the database ever fall back.
          candidateUs: () => Math.max(wallClock.nowUs(), settled.us + 1),
          dayOf: (us) => time.day(us),
          assetIdOf: (day, number) => formatAssetId(assetIdPrefix, day, number),
        }),
    },
  ],
  exports: [Ledger, SettledClock, WallClock],
})
export class LedgerModule {}
