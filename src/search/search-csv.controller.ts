import { Controller, Get, Req } from '@nestjs/common';
import type { StreamedAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { type RegistryRequest, RequestQuery } from '../http/request.js';
import { CsvQueryPipe, type CsvQuery } from './csv-query.pipe.js';
import { HitsAsCsv } from './hits-as-csv.js';

/** The search as CSV, for links and spreadsheets, which cannot send an Accept header. Source: contract section 11. */
@Controller(apiPaths('assets/search.csv'))
export class SearchCsvController {
  constructor(private readonly csv: HitsAsCsv) {}

  @Get()
  list(
    @RequestQuery(CsvQueryPipe) query: CsvQuery,
    @CalledBy() caller: Caller,
    @Req() request: RegistryRequest,
  ): Promise<StreamedAnswer> {
    return this.csv.answer(query, caller, request);
  }
}
