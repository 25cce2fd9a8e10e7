import { Injectable, type PipeTransform } from '@nestjs/common';
import type { FeedRange } from '../database/feed-reader.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { Query } from '../http/request-target.js';
import { RegistryTime } from '../time/registry-time.js';

/** A checked query of the listing. Source: contract section 6. */
export interface ListingQuery {
  limit: number;
  /** As it was sent, with a lost `+` put back; undefined when none was. */
  offset: string | undefined;
  offsetUs: number | undefined;
  newestFirst: boolean;
  /** Asset fields to add to each entry; `*` for whole assets. */
  fields: readonly string[] | '*';
  /** The query as it was sent, for the links. */
  sent: Query;
}

/** Reads the query of the listing. */
@Injectable()
export class ListingQueryPipe implements PipeTransform<Query, ListingQuery> {
  constructor(private readonly time: RegistryTime) {}

  transform(sent: Query): ListingQuery {
    const limit = QUERY_PARAMETERS.limit.read(sent);
    const offset = QUERY_PARAMETERS.offset.read(sent, this.time);
    const newestFirst = QUERY_PARAMETERS.descending.read(sent);
    const fields = QUERY_PARAMETERS.opt_fields.read(sent);
    return { limit, offset: offset?.text, offsetUs: offset?.us, newestFirst, fields, sent };
  }
}

/** What part of a feed a query asks for. */
export function rangeOf({
  newestFirst,
  offsetUs,
  limit,
}: Pick<ListingQuery, 'newestFirst' | 'offsetUs' | 'limit'>): Omit<FeedRange, 'whole'> {
  return {
    afterUs: newestFirst ? -1 : (offsetUs ?? -1),
    beforeUs: newestFirst ? (offsetUs ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
    newestFirst,
    limit,
  };
}
