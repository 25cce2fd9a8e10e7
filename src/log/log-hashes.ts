import { Injectable } from '@nestjs/common';
import { HASH_BYTES, leafHash, LogTree, type ReadHashes } from '#tlog';
import { LogReader } from '../database/readers/log-reader.js';
import { entryText } from './entry.js';

/** Reads the hashes of the log from its tables. */
@Injectable()
export class LogHashes {
  constructor(private readonly log: LogReader) {}

  /** Reads hashes of a level, starting at `from`. @throws LogDamagedError if rows are missing or cut, ApiError 503 */
  readonly read: ReadHashes = async (level, from, count) => {
    if (count === 0) return [];
    const hashes =
      level === 0
        ? (await this.log.entriesWithoutOpenings(from, count)).map((entry) => leafHash(entryText(entry)))
        : await this.log.tileHashes(level, from, count);
    const isWhole = hashes.length === count && hashes.every(({ length }) => length === HASH_BYTES);
    if (!isWhole) throw new LogDamagedError(level, from, count);
    return hashes;
  };

  /** The tree of the first `size` entries. */
  tree(size: number): LogTree {
    return new LogTree(this.read, size);
  }
}

/** Rows of the log were deleted outside of the service. */
export class LogDamagedError extends Error {
  constructor(level: number, from: number, count: number) {
    super(
      `the log lacks hashes of level ${level} from place ${from} to ${from + count - 1}: rows were deleted outside of the service`,
    );
  }
}
