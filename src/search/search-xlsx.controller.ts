import { Controller, Get, Req } from '@nestjs/common';
import type { StreamedAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { type RegistryRequest, RequestQuery } from '../http/request.js';
import { XlsxQueryPipe, type XlsxQuery } from './xlsx-query.pipe.js';
import { HitsAsXlsx } from './hits-as-xlsx.js';

/** The search as a spreadsheet. Source: contract section 11. */
@Controller(apiPaths('assets/search.xlsx'))
export class SearchXlsxController {
  constructor(private readonly xlsx: HitsAsXlsx) {}

  @Get()
  list(
    @RequestQuery(XlsxQueryPipe) query: XlsxQuery,
    @CalledBy() caller: Caller,
    @Req() request: RegistryRequest,
  ): Promise<StreamedAnswer> {
    return this.xlsx.answer(query, caller, request);
  }
}
