import { hash } from 'node:crypto';
import type { Entry } from '../asset-row.js';
import type { Copy, Range } from '../copies/copy.js';
import { usOf } from '../instants.js';

const BYTES = 16;

/** The number of entries in a range, and the XOR of their digests, as in the registry. */
export class Sum {
  private constructor(
    readonly count: number,
    private readonly digest: Buffer,
  ) {}

  /** @param digest 32 hex characters */
  static fromRegistry(count: number, digest: string): Sum {
    return new Sum(count, Buffer.from(digest, 'hex'));
  }

  static async of(copy: Copy, range: Range): Promise<Sum> {
    const digest = Buffer.alloc(BYTES);
    let count = 0;
    for await (const entries of copy.entries(range)) {
      for (const entry of entries) addTo(digest, digestOf(entry));
      count += entries.length;
    }
    return new Sum(count, digest);
  }

  /** The sum of the other entries. @param part the sum of some entries */
  without(part: Sum): Sum {
    const digest = Buffer.from(this.digest);
    addTo(digest, part.digest);
    return new Sum(this.count - part.count, digest);
  }

  equals(other: Sum): boolean {
    return this.count === other.count && this.digest.equals(other.digest);
  }
}

/** The digest of an entry. A row at the wrong position has another digest. */
function digestOf({ id, dateModified, feedUs }: Entry): Buffer {
  const text = `${id} ${dateModified}`;
  return hash('sha256', usOf(dateModified) === feedUs ? text : `${text} at ${feedUs}`, 'buffer');
}

function addTo(sum: Buffer, digest: Buffer): void {
  for (let i = 0; i < BYTES; i++) sum[i] = (sum[i] as number) ^ (digest[i] as number);
}
