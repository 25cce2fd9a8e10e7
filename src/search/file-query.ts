import { Query } from '../http/request-target.js';
import { malformedParameter, repeatedParameter } from '../platform/errors/errors.js';
import type { SearchQueryPipe, ParsedSearch } from './search-query.pipe.js';

/** Rows of one file, whatever is asked for. Source: contract section 11. */
export const MAX_ROWS = 100_000;

/** A checked query of a search whose hits are wanted as a file. */
export type FileQuery = Pick<ParsedSearch, 'query' | 'page'>;

/**
 * Reads the query of a search as for JSON, and all rows where no number of them is given.
 * @param own the parameter that only this form of a file takes
 * @throws ApiError 400
 */
export function readFileQuery(sent: Query, search: SearchQueryPipe, own: string): FileQuery {
  const { query, page } = search.transform(new Query(sent.parameters.filter(({ name }) => name !== own)));
  const [first, ...more] = sent.all(own);
  if (more.length > 0) throw repeatedParameter(own);
  if (first?.wellFormed === false) throw malformedParameter(own, 'The value is not percent-encoded UTF-8');
  const limit = Math.min(Number(sent.get('limit') || MAX_ROWS), MAX_ROWS);
  return { query, page: { ...page, limit, withFacets: false } };
}
