import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { CopiesController } from './copies.controller.js';
import { FeedDigestService } from './feed-digest.service.js';
import { ListingController } from './listing.controller.js';
import { ListingService } from './listing.service.js';

@Module({
  imports: [FeedModule],
  controllers: [CopiesController, ListingController],
  providers: [FeedDigestService, ListingService],
})
export class ListingModule {}
