import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { Origins } from '../http/origins.js';
import { DigestController } from './digest.controller.js';
import { FeedPages } from './feed-pages.js';
import { ListingController } from './listing.controller.js';

@Module({
  imports: [FeedModule],
  controllers: [DigestController, ListingController],
  providers: [FeedPages, Origins],
  exports: [FeedPages],
})
export class ListingModule {}
