import { Injectable, type PipeTransform } from '@nestjs/common';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { Query } from '../http/request-head.js';
import { RegistryTime } from '../time/registry-time.js';

/** What is asked of the first page. */
export interface PageQuery {
  /** What is searched for; empty for everything. */
  text: string;
  status: string | undefined;
  assetType: string | undefined;
  region: string | undefined;
  /** Where to go on from, as it was sent. */
  offset: string | undefined;
  offsetUs: number | undefined;
  newestFirst: boolean;
  /** Whether not everything is asked for. */
  isSearch: boolean;
  /** The parameters of the search that were sent, for links. */
  filters: Readonly<Record<string, string>>;
}

/** What people type is looked at so far. */
const LONGEST = 200;

/** Reads the query of the first page. Without `offset` it is the newest page; with it what is newer, or older where `descending` is on. */
@Injectable()
export class PageQueryPipe implements PipeTransform<Query, PageQuery> {
  constructor(private readonly time: RegistryTime) {}

  /** @throws ApiError 400 */
  transform(sent: Query): PageQuery {
    const filters: Record<string, string> = {};
    for (const name of ['q', 'status', 'type', 'region']) {
      const value = sent.get(name)?.trim().slice(0, LONGEST).toWellFormed();
      if (value) filters[name] = value;
    }
    const offset = QUERY_PARAMETERS.offset.read(sent, this.time);
    return {
      text: filters['q'] ?? '',
      status: filters['status'],
      assetType: filters['type'],
      region: filters['region'],
      offset: offset?.text,
      offsetUs: offset?.us,
      newestFirst: offset === undefined || QUERY_PARAMETERS.descending.read(sent),
      isSearch: Object.keys(filters).length > 0,
      filters,
    };
  }
}
