import { Query } from '../http/request-target.js';
import { malformedParameter, repeatedParameter } from '../platform/errors/errors.js';
import type { SearchQueryPipe, ParsedSearch } from './search-query.pipe.js';

/** Maximum rows of one file, whatever `limit` says. Source: contract section 11. */
export const MAX_ROWS = 100_000;

export type FileQuery = Pick<ParsedSearch, 'query' | 'page'>;

/**
 * Parses the query of the JSON search for a file; without `limit` the file has all rows.
 * @param own the parameter that only this file format has
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
