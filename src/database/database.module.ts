import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { AccessReader } from './readers/access-reader.js';
import { AccountsRepository } from './repositories/accounts-repository.js';
import { AssetReader } from './readers/asset-reader.js';
import { AuditReader } from './readers/audit-reader.js';
import { ClockRepository } from './repositories/clock-repository.js';
import { createDataSource, databaseParts, type DatabaseParts, dataSourceOptions } from './connections/data-sources.js';
import { Database, PARTS } from './database.js';
import { DatabaseInspector } from './database-inspector.js';
import type { DatabaseSide } from './dialects/dialect.js';
import { DisplayNames } from './readers/display-names.js';
import { RevisionFeed } from './readers/revision-feed.js';
import { FeedReader } from './readers/feed-reader.js';
import { FeedViews } from './readers/feed-view.js';
import { LogReader } from './readers/log-reader.js';
import { RedactionReader } from './readers/redaction-reader.js';
import { MonthReader } from './readers/month-reader.js';
import { RevisionReader } from './readers/revision-reader.js';

const parts = {
  provide: PARTS,
  inject: [CONFIG],
  useFactory: (config: Config) => databaseParts(config.databaseUrl),
};

/** Separate from DatabaseModule because both data sources import it. */
@Module({ providers: [parts], exports: [PARTS] })
class PartsModule {}

/** A data source that is not connected here but by Database.open, so that the service starts while its database is down. */
const dataSource = (side: DatabaseSide) =>
  TypeOrmModule.forRootAsync({
    name: side,
    imports: [PartsModule],
    inject: [CONFIG, PARTS],
    useFactory: async (config: Config, { monitor }: DatabaseParts) => ({
      ...(await dataSourceOptions(config.databaseUrl, side, monitor?.hosts)),
      manualInitialization: true,
      // Without this, Nest retries ten times in 30 s errors that a retry cannot cure.
      retryAttempts: 0,
    }),
    dataSourceFactory: async (options) => {
      if (options === undefined) throw new Error('No data source options');
      return createDataSource(options);
    },
  });

const PROVIDERS = [
  Database,
  DatabaseInspector,
  AccessReader,
  AccountsRepository,
  AssetReader,
  AuditReader,
  ClockRepository,
  DisplayNames,
  RevisionFeed,
  FeedReader,
  FeedViews,
  LogReader,
  RedactionReader,
  RevisionReader,
  MonthReader,
];

@Global()
@Module({
  imports: [PartsModule, dataSource('writer'), dataSource('reader')],
  providers: PROVIDERS,
  exports: PROVIDERS,
})
export class DatabaseModule {}
