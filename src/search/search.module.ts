import { Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { CsvModule } from '../csv/csv.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { Origins } from '../http/origins.js';
import { AssetSearch } from './asset-search.js';
import { CsvQueryPipe } from './csv-query.pipe.js';
import { FoundAssets } from './found-assets.js';
import { HitsAsCsv } from './hits-as-csv.js';
import { IndexFollower } from './index-follower.js';
import { IndexKeeper } from './index-keeper.js';
import { SearchCsvController } from './search-csv.controller.js';
import { SearchChecks } from './search-checks.js';
import { SearchQueryPipe } from './search-query.pipe.js';
import { SearchController } from './search.controller.js';
import { SearchableAssets } from './searchable-assets.js';
import { StatisticsController } from './statistics.controller.js';
import { Statistics } from './statistics.js';

@Module({
  imports: [FeedModule, CsvModule],
  controllers: [SearchController, SearchCsvController, StatisticsController],
  providers: [
    AssetSearch,
    FoundAssets,
    Origins,
    SearchChecks,
    SearchQueryPipe,
    CsvQueryPipe,
    HitsAsCsv,
    IndexFollower,
    SearchableAssets,
    Statistics,
    {
      provide: IndexKeeper,
      inject: [CONFIG, SearchableAssets],
      useFactory: ({ searchIndex }: Config, { version }: SearchableAssets) => new IndexKeeper(searchIndex, version),
    },
  ],
  exports: [AssetSearch, FoundAssets, IndexFollower, Statistics],
})
export class SearchModule {}
