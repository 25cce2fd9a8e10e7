import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AssetTypesModule } from './asset-types/asset-types.module.js';
import { AssetsModule } from './assets/assets.module.js';
import { AuthModule } from './auth/auth.module.js';
import { ConfigModule } from './platform/config/config.module.js';
import type { Config } from './platform/config/config.js';
import { DatabaseModule } from './database/database.module.js';
import { ApiErrorFilter } from './http/api-error.filter.js';
import { ListingModule } from './listing/listing.module.js';
import { LiveModule } from './listing/live/live.module.js';
import { LogModule } from './log/log.module.js';
import { ModulesModule } from './modules/modules.module.js';
import type { ImportedModule } from './modules/packaged-modules.js';
import { MetricsModule } from './operations/metrics.module.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { PagesModule } from './pages/pages.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { RateLimitModule } from './http/limits/rate-limit.module.js';
import { SnapshotModule } from './listing/snapshot/snapshot.module.js';
import { SearchModule } from './search/search.module.js';
import { TimeModule } from './platform/time/time.module.js';

@Module({})
export class AppModule {
  /** @param packaged modules from npm packages */
  static with(config: Config, packaged: readonly ImportedModule[] = []): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        TimeModule,
        AssetTypesModule.with(config.assetTypes),
        DatabaseModule,
        AuthModule,
        ListingModule,
        LiveModule,
        SnapshotModule,
        ...(config.logKey === undefined ? [] : [LogModule.with(config.logKey, config)]),
        AssetsModule,
        OperationsModule,
        SearchModule,
        OpenApiModule,
        PagesModule,
        RateLimitModule,
        MetricsModule,
        ModulesModule.with(packaged),
      ],
      providers: [{ provide: APP_FILTER, useClass: ApiErrorFilter }],
    };
  }
}
