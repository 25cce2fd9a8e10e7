import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ClockModule } from '../feed/clock/clock.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { Origins } from '../http/origins.js';
import { AssetWriter } from './asset-writer.js';
import { AssetsController } from './assets.controller.js';
import { AssetsService } from './assets.service.js';
import { DryRuns } from './dry-runs.js';
import { GroupChangeController } from './group-change.controller.js';
import { OwnershipController } from './ownership.controller.js';

@Module({
  imports: [AuthModule, ClockModule, FeedModule],
  controllers: [AssetsController, GroupChangeController, OwnershipController],
  providers: [AssetsService, AssetWriter, DryRuns, Origins],
  exports: [AssetsService],
})
export class AssetsModule {}
