import { Controller, Get } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { From, type Origin, SentQuery } from '../http/origin.js';
import { type ListingQuery, ListingQueryPipe } from './listing-query.pipe.js';
import { ListingService } from './listing.service.js';

/** The listing, which is the change feed. Source: contract section 6. */
@Controller(apiPaths('assets'))
export class ListingController {
  constructor(private readonly listing: ListingService) {}

  @Get()
  list(@SentQuery(ListingQueryPipe) query: ListingQuery, @From() from: Origin): Promise<Answer> {
    return this.listing.page(query, from);
  }
}
