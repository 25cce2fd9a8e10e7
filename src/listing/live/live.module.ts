import { Global, Module } from '@nestjs/common';
import { FeedModule } from '../../feed/feed.module.js';
import { ListingModule } from '../listing.module.js';
import { LIVE_UPDATES } from '../live-updates.js';
import { LiveListing } from './live-listing.js';

/** Global, because the listing uses it if present. Without this module, `wait` and events are not available. */
@Global()
@Module({
  imports: [FeedModule, ListingModule],
  providers: [LiveListing, { provide: LIVE_UPDATES, useExisting: LiveListing }],
  exports: [LiveListing, LIVE_UPDATES],
})
export class LiveModule {}
