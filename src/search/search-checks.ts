import { Injectable } from '@nestjs/common';
import { apiPaths } from '../http/api-paths.js';
import type { RegistryRequest } from '../http/request.js';
import { prefers } from '../http/request-head.js';
import { targetOf } from '../http/request-target.js';
import { malformedParameter } from '../platform/errors/errors.js';
import { CsvQueryPipe } from './csv-query.pipe.js';
import { FILTERS } from './search-parameters.js';
import { SearchQueryPipe } from './search-query.pipe.js';
import { StatisticsQueryPipe } from './statistics-query.pipe.js';
import { XlsxQueryPipe } from './xlsx-query.pipe.js';

/** Validates search queries before cookie and rate limit, as for all reads (contract section 8). */
@Injectable()
export class SearchChecks {
  /** Checks by path template; each throws the ApiError to answer with. */
  readonly byTemplate: ReadonlyMap<string, (request: RegistryRequest) => unknown>;

  constructor(json: SearchQueryPipe, csv: CsvQueryPipe, xlsx: XlsxQueryPipe, statistics: StatisticsQueryPipe) {
    const readCsv = (request: RegistryRequest): unknown => csv.transform(targetOf(request).query);
    const readXlsx = (request: RegistryRequest): unknown => xlsx.transform(targetOf(request).query);
    const readEither = (request: RegistryRequest): unknown =>
      prefers('text/csv', request.headers.accept) ? readCsv(request) : json.transform(targetOf(request).query);
    this.byTemplate = new Map([
      ...apiPaths('assets/search').map((path) => [`/${path}`, readEither] as const),
      ...apiPaths('assets/search.csv').map((path) => [`/${path}`, readCsv] as const),
      ...apiPaths('statistics').map(
        (path) => [`/${path}`, (request: RegistryRequest) => statistics.transform(targetOf(request).query)] as const,
      ),
      ...apiPaths('assets/search.xlsx').map((path) => [`/${path}`, readXlsx] as const),
      ...apiPaths('assets').map((path) => [`/${path}`, refuseFilters] as const),
    ]);
  }
}

/** An ignored filter would give wrong results. @throws ApiError 400. Source: contract section 6 */
function refuseFilters(request: RegistryRequest): void {
  const { query } = targetOf(request);
  const filter = FILTERS.find((name) => query.get(name));
  if (filter !== undefined)
    throw malformedParameter(
      filter,
      'The listing has no filters: /assets/search takes them, and with sort=dateModified it is a feed of what matches',
    );
}
