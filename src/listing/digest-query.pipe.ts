import { Injectable, type PipeTransform } from '@nestjs/common';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { Query } from '../http/request-target.js';
import { RegistryTime } from '../time/registry-time.js';

/** A range of the feed: after `fromUs`, up to `toUs` and that too; undefined is open. Microseconds. */
export interface DigestQuery {
  fromUs: number | undefined;
  toUs: number | undefined;
}

/** Reads the query of a digest. */
@Injectable()
export class DigestQueryPipe implements PipeTransform<Query, DigestQuery> {
  constructor(private readonly time: RegistryTime) {}

  transform(sent: Query): DigestQuery {
    const from = QUERY_PARAMETERS.from.read(sent, this.time);
    const to = QUERY_PARAMETERS.to.read(sent, this.time);
    return { fromUs: from?.us, toUs: to?.us };
  }
}
