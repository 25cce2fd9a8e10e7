import { Global, Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { ListingModule } from '../listing/listing.module.js';
import { LIVE } from '../listing/live.js';
import { LiveListing } from './live-listing.js';

/** Global, as the listing takes it where it is there: without this module nobody waits for changes. */
@Global()
@Module({
  imports: [FeedModule, ListingModule],
  providers: [LiveListing, { provide: LIVE, useExisting: LiveListing }],
  exports: [LiveListing, LIVE],
})
export class LiveModule {}
