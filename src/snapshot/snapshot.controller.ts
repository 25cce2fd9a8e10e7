import { Controller, Get, Req } from '@nestjs/common';
import type { Answer, StreamedAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { targetOf } from '../http/target.js';
import { SnapshotService, type WantedPart } from './snapshot.service.js';

@Controller(apiPaths('assets'))
export class SnapshotController {
  constructor(private readonly snapshots: SnapshotService) {}

  /** For those who begin a copy of the registry. */
  @Get('snapshot.jsonl.gz')
  read(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer | StreamedAnswer> {
    return this.snapshots.answer('jsonl', partOf(request), caller);
  }

  /** For spreadsheets. */
  @Get('snapshot.csv.gz')
  readCsv(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer | StreamedAnswer> {
    const hasByteOrderMark = QUERY_PARAMETERS.bom.read(targetOf(request).query);
    return this.snapshots.answer(hasByteOrderMark ? 'bom.csv' : 'csv', partOf(request), caller);
  }
}

function partOf({ method, headers }: RegistryRequest): WantedPart {
  return {
    ifNoneMatch: headers['if-none-match'],
    // Range is defined for GET only (RFC 9110, 14.2).
    range: method === 'GET' ? headers.range : undefined,
    ifRange: headers['if-range']?.toString(),
  };
}
