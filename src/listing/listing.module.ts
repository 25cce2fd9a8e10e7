import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { DigestController } from './digest.controller.js';
import { ListingController } from './listing.controller.js';

@Module({ imports: [FeedModule], controllers: [DigestController, ListingController] })
export class ListingModule {}
