import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { ExactFeed } from './exact-feed.js';
import { ListingController } from './listing.controller.js';
import { ListingService } from './listing.service.js';

@Module({
  imports: [LedgerModule],
  controllers: [ListingController],
  providers: [ExactFeed, ListingService],
})
export class ListingModule {}
