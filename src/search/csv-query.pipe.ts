import { Injectable, type PipeTransform } from '@nestjs/common';
import { malformedParameter, repeatedParameter } from '../platform/errors/errors.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { Query } from '../http/request-target.js';
import { SearchQueryPipe, type SentSearch } from './search-query.pipe.js';

/** Rows of one answer, whatever is asked for. Source: contract section 11. */
export const MAX_ROWS = 100_000;

/** A checked query of a search whose hits are wanted as CSV. */
export type SentCsv = Pick<SentSearch, 'query' | 'page'> & { hasByteOrderMark: boolean };

/** Reads the query of a search as for JSON, with `bom` beside it, and all rows where no number of them is given. */
@Injectable()
export class CsvQueryPipe implements PipeTransform<Query, SentCsv> {
  constructor(private readonly search: SearchQueryPipe) {}

  /** @throws ApiError 400 */
  transform(sent: Query): SentCsv {
    const others = new Query(sent.parameters.filter(({ name }) => name !== 'bom'));
    const { query, page } = this.search.transform(others);
    const limit = Math.min(Number(sent.get('limit') || MAX_ROWS), MAX_ROWS);
    return { query, page: { ...page, limit, withFacets: false }, hasByteOrderMark: readByteOrderMark(sent) };
  }
}

function readByteOrderMark(sent: Query): boolean {
  const [first, ...more] = sent.all('bom');
  if (more.length > 0) throw repeatedParameter('bom');
  if (first?.wellFormed === false) throw malformedParameter('bom', 'The value is not percent-encoded UTF-8');
  return QUERY_PARAMETERS.bom.read(sent);
}
