import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { SearchModule } from '../search/search.module.js';
import { ShutdownState } from './shutdown-state.js';
import { Health } from './health.js';
import { HealthController } from './health.controller.js';
import { SporeController } from './spore.controller.js';
import { StateMetrics } from './state-metrics.js';

@Module({
  imports: [FeedModule, SearchModule],
  controllers: [HealthController, SporeController],
  providers: [ShutdownState, Health, StateMetrics],
})
export class OperationsModule {}
