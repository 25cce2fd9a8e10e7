import { Module } from '@nestjs/common';
import { ClockModule } from './clock/clock.module.js';
import { SYSTEM_TIMING, WallClock } from './clock/wall-clock.js';
import { formatAssetId } from './asset-identifiers.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { Database } from '../database/database.js';
import { DiskReserve } from '../database/files/disk-reserve.js';
import { SqlLedgerStore } from './writing/sql-ledger-store.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { DurableWatermark, LedgerClock, SettledWatermark } from './watermarks.js';
import { Ledger } from './writing/ledger.js';
import { LEDGER_OBSERVER, type LedgerObserver } from './writing/ledger-observer.js';
import { ExpirySweep } from './writing/expiry-sweep.js';
import { ReadPoint } from './read-point.js';
import { AssetHistory } from './reading/asset-history.js';
import { ExactFeed } from './reading/exact-feed.js';
import { ListedByMonth } from './reading/listed-by-month.js';
import { PublicStates } from './reading/public-states.js';
import { ShownAssets } from './reading/shown-assets.js';
import { WholeFeed } from './reading/whole-feed.js';
import { ClockHeartbeat } from './writing/clock-heartbeat.js';

@Module({
  imports: [ClockModule],
  providers: [
    SqlLedgerStore,
    DiskReserve,
    SettledWatermark,
    ReadPoint,
    AssetHistory,
    ExactFeed,
    ListedByMonth,
    PublicStates,
    ShownAssets,
    WholeFeed,
    ExpirySweep,
    ClockHeartbeat,
    {
      provide: DurableWatermark,
      inject: [Database, LEDGER_OBSERVER],
      useFactory: (database: Database, observer?: LedgerObserver) => new DurableWatermark(database, observer),
    },
    {
      provide: Ledger,
      inject: [SqlLedgerStore, WallClock, SettledWatermark, DurableWatermark, RegistryTime, CONFIG, LEDGER_OBSERVER],
      useFactory: (
        store: SqlLedgerStore,
        wallClock: WallClock,
        settled: SettledWatermark,
        durable: DurableWatermark,
        time: RegistryTime,
        { assetIdPrefix, clockMaxStepMs }: Config,
        observer?: LedgerObserver,
      ) =>
        new Ledger({
          store,
          timing: SYSTEM_TIMING,
          clock: new LedgerClock({
            wallClock,
            settled,
            durable,
            dayOf: (us) => time.day(us),
            maxLeadUs: clockMaxStepMs * 1_000,
          }),
          observer,
          assetIdOf: (day, number) => formatAssetId(assetIdPrefix, day, number),
        }),
    },
  ],
  exports: [
    Ledger,
    AssetHistory,
    ExactFeed,
    ListedByMonth,
    PublicStates,
    ShownAssets,
    WholeFeed,
    SettledWatermark,
    ClockModule,
  ],
})
export class FeedModule {}
