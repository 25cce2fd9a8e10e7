import { Controller, Get, Options } from '@nestjs/common';
import { allowing } from '../http/allow.js';
import type { Answer, StreamedAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { SentQuery } from '../http/origin.js';
import { type DigestQuery, DigestQueryPipe } from './digest-query.pipe.js';
import { FeedDigestService } from './feed-digest.service.js';
import { SnapshotService } from './snapshot.service.js';

/** For those who keep a copy of the registry: where to begin, and how to know that it is whole. */
@Controller(apiPaths('assets'))
export class CopiesController {
  constructor(
    private readonly digests: FeedDigestService,
    private readonly snapshots: SnapshotService,
  ) {}

  @Get('digest')
  digest(@SentQuery(DigestQueryPipe) query: DigestQuery, @CalledBy() caller: Caller): Promise<Answer> {
    return this.digests.digest(query, caller);
  }

  @Options('digest')
  digestOptions(): Answer {
    return allowing('GET, HEAD, OPTIONS');
  }

  @Get('snapshot.jsonl.gz')
  snapshot(): Promise<StreamedAnswer> {
    return this.snapshots.stream();
  }

  @Options('snapshot.jsonl.gz')
  snapshotOptions(): Answer {
    return allowing('GET, HEAD, OPTIONS');
  }
}
