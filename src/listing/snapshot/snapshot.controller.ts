import { Controller, Get, Req } from '@nestjs/common';
import { Answer, StreamedAnswer } from '../../http/answer.js';
import { apiPaths } from '../../http/api-paths.js';
import { byteRange } from '../../http/byte-range.js';
import { CalledBy, type Caller } from '../../http/caller.js';
import { QUERY_PARAMETERS } from '../../http/query-parameters.js';
import type { RegistryRequest } from '../../http/request.js';
import { isNoneMatch } from '../../http/request-head.js';
import { targetOf } from '../../http/request-target.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import type { SnapshotFile } from './snapshot-file.js';
import { Snapshots } from './snapshots.js';

@Controller(apiPaths('assets'))
export class SnapshotController {
  constructor(
    private readonly snapshots: Snapshots,
    private readonly time: RegistryTime,
  ) {}

  /** For clients that start a copy of the registry. */
  @Get('snapshot.jsonl.gz')
  async read(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer | StreamedAnswer> {
    return this.answer(await this.snapshots.newest('jsonl', caller), request);
  }

  /** For spreadsheets. */
  @Get('snapshot.csv.gz')
  async readCsv(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer | StreamedAnswer> {
    const hasByteOrderMark = QUERY_PARAMETERS.bom.read(targetOf(request).query);
    return this.answer(await this.snapshots.newest(hasByteOrderMark ? 'bom.csv' : 'csv', caller), request);
  }

  /** @throws ApiError 416 for a range beyond the end */
  private answer(file: SnapshotFile, { method, headers: requestHeaders }: RegistryRequest): Answer | StreamedAnswer {
    const { size, etag, moment } = file;
    const headers = { ETag: etag, 'Feed-Offset': this.time.print(moment.clockUs), 'Feed-Epoch': moment.epoch };
    if (isNoneMatch(requestHeaders['if-none-match'], etag)) return new Answer(304, undefined, headers);
    const sent = { ...headers, 'Content-Type': 'application/gzip', 'Accept-Ranges': 'bytes' };
    // A growing file has no known length.
    if (size === undefined) return new StreamedAnswer(200, file.read(), sent);
    // Range is defined for GET only (RFC 9110, 14.2).
    const mayBePartial = method === 'GET' && [undefined, etag].includes(requestHeaders['if-range']?.toString());
    const part = mayBePartial ? byteRange(requestHeaders.range, size) : undefined;
    if (part === undefined) return new StreamedAnswer(200, file.read(), { ...sent, 'Content-Length': String(size) });
    const { from, to } = part;
    const partHeaders = { 'Content-Range': `bytes ${from}-${to - 1}/${size}`, 'Content-Length': String(to - from) };
    return new StreamedAnswer(206, file.read(from, to), { ...sent, ...partHeaders });
  }
}
