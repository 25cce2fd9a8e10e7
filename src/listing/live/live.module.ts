import { Global, Module } from '@nestjs/common';
import { FeedModule } from '../../feed/feed.module.js';
import { ListingModule } from '../listing.module.js';
import { LIVE_UPDATES } from '../live-updates.js';
import { LiveListing } from './live-listing.js';

/** Global, as the listing takes it where it is there: without this module nobody waits for changes. */
@Global()
@Module({
  imports: [FeedModule, ListingModule],
  providers: [LiveListing, { provide: LIVE_UPDATES, useExisting: LiveListing }],
  exports: [LiveListing, LIVE_UPDATES],
})
export class LiveModule {}
