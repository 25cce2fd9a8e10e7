import { Module } from '@nestjs/common';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { CsvModule } from '../listing/csv/csv.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { AssetSheets } from '../listing/xlsx/asset-sheets.js';
import { Origins } from '../http/origins.js';
import { AssetSearch } from './asset-search.js';
import { CsvQueryPipe } from './csv-query.pipe.js';
import { FoundAssets } from './found-assets.js';
import { HitsAsCsv } from './hits-as-csv.js';
import { HitsAsFile } from './hits-as-file.js';
import { HitsAsXlsx } from './hits-as-xlsx.js';
import { IndexFollower } from './index-follower.js';
import { IndexSupervisor } from './index-supervisor.js';
import { SearchCsvController } from './search-csv.controller.js';
import { SearchXlsxController } from './search-xlsx.controller.js';
import { XlsxQueryPipe } from './xlsx-query.pipe.js';
import { SearchChecks } from './search-checks.js';
import { SearchQueryPipe } from './search-query.pipe.js';
import { SearchController } from './search.controller.js';
import { SearchableAssets } from './searchable-assets.js';
import { StatisticsController } from './statistics.controller.js';
import { Statistics } from './statistics.js';
import { StatisticsQueryPipe } from './statistics-query.pipe.js';

@Module({
  imports: [FeedModule, CsvModule],
  controllers: [SearchController, SearchCsvController, SearchXlsxController, StatisticsController],
  providers: [
    AssetSearch,
    FoundAssets,
    Origins,
    SearchChecks,
    SearchQueryPipe,
    CsvQueryPipe,
    XlsxQueryPipe,
    HitsAsFile,
    HitsAsCsv,
    HitsAsXlsx,
    AssetSheets,
    IndexFollower,
    SearchableAssets,
    Statistics,
    StatisticsQueryPipe,
    {
      provide: IndexSupervisor,
      inject: [CONFIG, SearchableAssets],
      useFactory: ({ searchIndex }: Config, { version }: SearchableAssets) => new IndexSupervisor(searchIndex, version),
    },
  ],
  exports: [AssetSearch, FoundAssets, IndexFollower, Statistics],
})
export class SearchModule {}
