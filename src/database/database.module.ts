import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { AccountsRepository } from './accounts-repository.js';
import { AssetReader } from './asset-reader.js';
import { createDataSource, dataSourceOptions, dialectOf } from './data-sources.js';
import { Database, DIALECT } from './database.js';
import type { DatabaseSide } from './dialects/dialect.js';
import { FeedReader } from './feed-reader.js';
import { TypeOrmLedgerStore } from './typeorm-ledger-store.js';

/** A data source that Database.open connects: the service must start while its database is away. */
const dataSource = (side: DatabaseSide) =>
  TypeOrmModule.forRootAsync({
    name: side,
    inject: [CONFIG],
    useFactory: async (config: Config) => ({
      ...(await dataSourceOptions(config.databaseUrl, side)),
      manualInitialization: true,
    }),
    dataSourceFactory: async (options) => {
      if (options === undefined) throw new Error('No data source options');
      return createDataSource(options);
    },
  });

@Global()
@Module({
  imports: [dataSource('writer'), dataSource('reader')],
  providers: [
    { provide: DIALECT, inject: [CONFIG], useFactory: (config: Config) => dialectOf(config.databaseUrl) },
    Database,
    AccountsRepository,
    AssetReader,
    FeedReader,
    TypeOrmLedgerStore,
  ],
  exports: [Database, AccountsRepository, AssetReader, FeedReader, TypeOrmLedgerStore],
})
export class DatabaseModule {}
