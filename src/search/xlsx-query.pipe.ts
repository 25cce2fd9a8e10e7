import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Language } from '../http/language.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { Query } from '../http/request-target.js';
import { readFileQuery, type FileQuery } from './file-query.js';
import { SearchQueryPipe } from './search-query.pipe.js';

/** A checked query of a search whose hits are wanted as a spreadsheet; without a language that of the browser is taken. */
export type XlsxQuery = FileQuery & { language: Language | undefined };

/** Reads the query of a search as for JSON, with `lang` beside it. */
@Injectable()
export class XlsxQueryPipe implements PipeTransform<Query, XlsxQuery> {
  constructor(private readonly search: SearchQueryPipe) {}

  /** @throws ApiError 400 */
  transform(sent: Query): XlsxQuery {
    const file = readFileQuery(sent, this.search, 'lang');
    return { ...file, language: QUERY_PARAMETERS.lang.read(sent) };
  }
}
