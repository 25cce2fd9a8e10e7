import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { ClockModule } from '../feed/clock/clock.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { PublicAssets } from './public-assets.js';

/** Imported by a team's module, which then has the registry's guards and PublicAssets. */
@Module({
  imports: [AuthModule, ClockModule, FeedModule],
  providers: [PublicAssets],
  exports: [AuthModule, ClockModule, PublicAssets],
})
export class RegistryModule {}
