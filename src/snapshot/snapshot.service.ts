import { Injectable } from '@nestjs/common';
import { Answer, StreamedAnswer } from '../http/answer.js';
import { type ByteRange, byteRange } from '../http/byte-range.js';
import type { Caller } from '../http/caller.js';
import { isNoneMatch } from '../http/request-head.js';
import { RegistryTime } from '../time/registry-time.js';
import { type KeptSnapshot, SnapshotKeepers } from './snapshot-keeper.js';
import type { SnapshotFormat } from './snapshot-name.js';

/** The headers of a request that say which part it wants, as they were sent. */
export interface WantedPart {
  ifNoneMatch: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
}

/** Answers the whole feed as it is at one moment: copies begin with it. */
@Injectable()
export class SnapshotService {
  constructor(
    private readonly keepers: SnapshotKeepers,
    private readonly time: RegistryTime,
  ) {}

  /** @throws ApiError 416 for a range beyond the end, 503 while there is no snapshot */
  async answer(format: SnapshotFormat, wanted: WantedPart, caller: Caller): Promise<Answer | StreamedAnswer> {
    const kept = await this.keepers.newest(format, caller);
    try {
      return this.answerOf(kept, wanted);
    } finally {
      kept.file.release();
    }
  }

  private answerOf(
    { file, epoch }: KeptSnapshot,
    { ifNoneMatch, range, ifRange }: WantedPart,
  ): Answer | StreamedAnswer {
    const { size, name } = file;
    const headers = {
      ETag: name.etag,
      'Feed-Offset': this.time.print(name.clockUs),
      'Feed-Epoch': epoch,
    };
    if (isNoneMatch(ifNoneMatch, name.etag)) return new Answer(304, undefined, headers);
    const sent = { ...headers, 'Content-Type': 'application/gzip', 'Accept-Ranges': 'bytes' };
    // While it grows its length is not known.
    if (size === undefined) return new StreamedAnswer(200, file.read(), sent);
    const isOfThisFile = ifRange === undefined || ifRange === name.etag;
    const part = isOfThisFile ? byteRange(range, size) : undefined;
    if (part === undefined) return new StreamedAnswer(200, file.read(), { ...sent, 'Content-Length': String(size) });
    return new StreamedAnswer(206, file.read(part.from, part.to), { ...sent, ...partHeaders(part, size) });
  }
}

function partHeaders({ from, to }: ByteRange, size: number): Record<string, string> {
  return { 'Content-Range': `bytes ${from}-${to - 1}/${size}`, 'Content-Length': String(to - from) };
}
