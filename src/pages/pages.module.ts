import { Module } from '@nestjs/common';
import { AssetsModule } from '../assets/assets.module.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { ERROR_RENDERING } from '../http/error-rendering.js';
import { Origins } from '../http/origins.js';
import { FeedModule } from '../feed/feed.module.js';
import { SearchQueryPipe } from '../search/search-query.pipe.js';
import { SearchModule } from '../search/search.module.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetLists } from './asset-lists.js';
import { AssetSummaries } from './asset-summary.js';
import { ErrorPages } from './error-pages.js';
import { ListCounts } from './list-counts.js';
import { NewestChanges } from './newest-changes.js';
import { FeedQueryPipe, PageQueryPipe } from './page-query.pipe.js';
import { PagesController } from './pages.controller.js';
import { PagesService } from './pages.service.js';
import { RespelledLists } from './respelled-lists.js';
import { StatisticsPage } from './statistics.page.js';
import { SiteFilesController } from './site-files.controller.js';
import { Sitemap } from './sitemap.js';
import { ShownTimes } from './times.js';
import { PageContextPipe } from './page-context.js';

const times = {
  provide: ShownTimes,
  inject: [RegistryTime, CONFIG],
  useFactory: (time: RegistryTime, { timeZone }: Config) => new ShownTimes(time, timeZone),
};

const summaries = {
  provide: AssetSummaries,
  inject: [ShownTimes],
  useFactory: (shownTimes: ShownTimes) => new AssetSummaries(shownTimes),
};

@Module({
  imports: [AssetsModule, FeedModule, SearchModule],
  controllers: [PagesController, SiteFilesController],
  providers: [
    { provide: ERROR_RENDERING, useClass: ErrorPages },
    AssetLists,
    RespelledLists,
    FeedQueryPipe,
    ListCounts,
    NewestChanges,
    Origins,
    PageQueryPipe,
    PagesService,
    SearchQueryPipe,
    Sitemap,
    StatisticsPage,
    PageContextPipe,
    summaries,
    times,
  ],
  exports: [ERROR_RENDERING],
})
export class PagesModule {}
