import { Injectable, type PipeTransform } from '@nestjs/common';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { Query } from '../http/request-target.js';
import { readFileQuery, type FileQuery } from './file-query.js';
import { SearchQueryPipe } from './search-query.pipe.js';

export type CsvQuery = FileQuery & { hasByteOrderMark: boolean };

/** Parses the query of the JSON search plus `bom`. */
@Injectable()
export class CsvQueryPipe implements PipeTransform<Query, CsvQuery> {
  constructor(private readonly search: SearchQueryPipe) {}

  /** @throws ApiError 400 */
  transform(sent: Query): CsvQuery {
    const file = readFileQuery(sent, this.search, 'bom');
    return { ...file, hasByteOrderMark: QUERY_PARAMETERS.bom.read(sent) };
  }
}
