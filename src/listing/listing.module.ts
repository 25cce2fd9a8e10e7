import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { CopiesController } from './copies.controller.js';
import { ExactFeed } from './exact-feed.js';
import { FeedDigestService } from './feed-digest.service.js';
import { ListingController } from './listing.controller.js';
import { ListingService } from './listing.service.js';

@Module({
  imports: [LedgerModule],
  controllers: [CopiesController, ListingController],
  providers: [ExactFeed, FeedDigestService, ListingService],
  exports: [ExactFeed],
})
export class ListingModule {}
