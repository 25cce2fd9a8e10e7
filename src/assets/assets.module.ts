import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { AssetsController } from './assets.controller.js';
import { AssetsService } from './assets.service.js';
import { HistoryController } from './history.controller.js';

@Module({
  imports: [AuthModule, FeedModule],
  controllers: [AssetsController, HistoryController],
  providers: [AssetHistory, AssetsService],
  exports: [AssetHistory, AssetsService],
})
export class AssetsModule {}
