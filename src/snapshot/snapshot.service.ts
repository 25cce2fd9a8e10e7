import { Injectable } from '@nestjs/common';
import { Answer, StreamedAnswer } from '../http/answer.js';
import { type ByteRange, byteRange } from '../http/byte-range.js';
import { isNoneMatch } from '../http/entity-tag.js';
import { RegistryTime } from '../time/registry-time.js';
import { type KeptSnapshot, SnapshotKeeper } from './snapshot-keeper.js';

/** What a request says of the part that it wants, as it came. */
export interface WantedPart {
  ifNoneMatch: string | undefined;
  range: string | undefined;
  ifRange: string | undefined;
}

/** The whole feed in one answer, from one moment: for copies that begin. */
@Injectable()
export class SnapshotService {
  constructor(
    private readonly keeper: SnapshotKeeper,
    private readonly time: RegistryTime,
  ) {}

  /** @throws ApiError 416 for a part behind the end, 503 while there is none */
  async answer(wanted: WantedPart): Promise<Answer | StreamedAnswer> {
    const kept = await this.keeper.newest();
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
    // How much there will be of one that still grows is not known.
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
