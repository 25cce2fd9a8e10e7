import { Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { Origins } from '../http/origin.js';
import { AssetSearch } from './asset-search.js';
import { CatchingUp } from './catching-up.js';
import { FoundAssets } from './found-assets.js';
import { IndexKeeper } from './index-keeper.js';
import { SearchController } from './search.controller.js';
import { SearchableAssets } from './searchable-assets.js';

@Module({
  imports: [FeedModule],
  controllers: [SearchController],
  providers: [
    AssetSearch,
    FoundAssets,
    Origins,
    CatchingUp,
    SearchableAssets,
    {
      provide: IndexKeeper,
      inject: [CONFIG, SearchableAssets],
      useFactory: ({ searchIndex }: Config, { version }: SearchableAssets) => new IndexKeeper(searchIndex, version),
    },
  ],
  exports: [AssetSearch],
})
export class SearchModule {}
