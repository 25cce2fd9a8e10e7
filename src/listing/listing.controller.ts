import { Controller, createParamDecorator, type ExecutionContext, Get, Inject, Options, Req } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { allowing } from '../http/allow.js';
import { Answer } from '../http/answer.js';
import { apiPaths, baseUrl, pathOf } from '../http/links.js';
import { targetOf } from '../http/request-target.js';
import { ListingService } from './listing.service.js';
import { type ListingQuery, ListingQueryPipe } from './listing-query.pipe.js';

const Sent = createParamDecorator(
  (_: unknown, context: ExecutionContext) => targetOf(context.switchToHttp().getRequest<Request>()).query,
);

/** The listing, which is the change feed. Source: contract section 6. */
@Controller(apiPaths('assets'))
export class ListingController {
  constructor(
    private readonly listing: ListingService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@Sent(ListingQueryPipe) query: ListingQuery, @Req() request: Request): Promise<Answer> {
    return this.listing.page(query, {
      base: baseUrl(request, this.config.publicUrl),
      path: pathOf(request),
      query: query.sent,
    });
  }

  @Options()
  options(): Answer {
    return allowing('GET, HEAD, POST, OPTIONS');
  }
}
