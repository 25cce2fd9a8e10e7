import { Controller, Get, Req } from '@nestjs/common';
import type { Answer, StreamedAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import type { RegistryRequest } from '../http/exchange.js';
import { SnapshotService } from './snapshot.service.js';

/** For those who begin a copy of the registry. */
@Controller(apiPaths('assets/snapshot.jsonl.gz'))
export class SnapshotController {
  constructor(private readonly snapshots: SnapshotService) {}

  @Get()
  read(@Req() { method, headers }: RegistryRequest): Promise<Answer | StreamedAnswer> {
    return this.snapshots.answer({
      ifNoneMatch: headers['if-none-match'],
      // Range is defined for GET only (RFC 9110, 14.2).
      range: method === 'GET' ? headers.range : undefined,
      ifRange: headers['if-range']?.toString(),
    });
  }
}
