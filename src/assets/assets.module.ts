import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { Origins } from '../http/origin.js';
import { AssetWriter } from './asset-writer.js';
import { AssetsController } from './assets.controller.js';
import { AssetsService } from './assets.service.js';
import { DryRuns } from './dry-runs.js';

@Module({
  imports: [AuthModule, FeedModule],
  controllers: [AssetsController],
  providers: [AssetsService, AssetWriter, DryRuns, Origins],
  exports: [AssetsService, AssetWriter],
})
export class AssetsModule {}
