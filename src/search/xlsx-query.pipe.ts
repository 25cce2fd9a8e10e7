import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Language } from '../http/language.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { Query } from '../http/request-target.js';
import { readFileQuery, type FileQuery } from './file-query.js';
import { SearchQueryPipe } from './search-query.pipe.js';

/** Without a language, `Accept-Language` decides. */
export type XlsxQuery = FileQuery & { language: Language | undefined };

/** Parses the query of the JSON search plus `lang`. */
@Injectable()
export class XlsxQueryPipe implements PipeTransform<Query, XlsxQuery> {
  constructor(private readonly search: SearchQueryPipe) {}

  /** @throws ApiError 400 */
  transform(sent: Query): XlsxQuery {
    const file = readFileQuery(sent, this.search, 'lang');
    return { ...file, language: QUERY_PARAMETERS.lang.read(sent) };
  }
}
