import { Controller, Get } from '@nestjs/common';
import type { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { SentQuery } from '../http/origin.js';
import { type DigestQuery, DigestQueryPipe } from './digest-query.pipe.js';
import { FeedDigestService } from './feed-digest.service.js';

/** For those who keep a copy of the registry: how to know that it is whole. */
@Controller(apiPaths('assets'))
export class CopiesController {
  constructor(private readonly digests: FeedDigestService) {}

  @Get('digest')
  digest(@SentQuery(DigestQueryPipe) query: DigestQuery, @CalledBy() caller: Caller): Promise<Answer> {
    return this.digests.digest(query, caller);
  }
}
