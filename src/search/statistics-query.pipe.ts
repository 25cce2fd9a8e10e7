import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Query } from '../http/request-target.js';
import { malformedParameter } from '../platform/errors/errors.js';
import { FILTERS, type SearchParameterName } from './search-parameters.js';
import { SearchQueryPipe } from './search-query.pipe.js';
import type { SearchQuery } from './search-query.js';

/** Parses the query of the statistics: the filters of the search, without sorting and paging. */
@Injectable()
export class StatisticsQueryPipe implements PipeTransform<Query, SearchQuery> {
  constructor(private readonly search: SearchQueryPipe) {}

  /** @throws ApiError 400 */
  transform(sent: Query): SearchQuery {
    const other = sent.parameters.find(({ name }) => name !== 'opt_pretty' && !isFilter(name));
    if (other !== undefined)
      throw malformedParameter(other.name, `Statistics have the filters of the search: ${FILTERS.join(', ')}`);
    return this.search.transform(sent).query;
  }
}

function isFilter(name: string): boolean {
  return FILTERS.includes(name as SearchParameterName);
}
