import { hash } from 'node:crypto';
import type { Entry } from '../asset-row.js';
import type { Copy, Range } from '../copies/copy.js';
import { usOf } from '../instants.js';

const BYTES = 16;

/** How many entries a range has, and the exclusive or of their digests, as the registry counts them. */
export class Sum {
  private constructor(
    readonly count: number,
    private readonly digest: Buffer,
  ) {}

  /** @param digest 32 hex characters */
  static told(count: number, digest: string): Sum {
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

  /** Of what is left when a part is taken away: nobody needs to be asked for it. */
  without(part: Sum): Sum {
    const digest = Buffer.from(this.digest);
    addTo(digest, part.digest);
    return new Sum(this.count - part.count, digest);
  }

  equals(other: Sum): boolean {
    return this.count === other.count && this.digest.equals(other.digest);
  }
}

/** A row at the wrong place counts as another one. */
function digestOf({ id, dateModified, feedUs }: Entry): Buffer {
  const text = `${id} ${dateModified}`;
  return hash('sha256', usOf(dateModified) === feedUs ? text : `${text} at ${feedUs}`, 'buffer');
}

function addTo(sum: Buffer, digest: Buffer): void {
  for (let i = 0; i < BYTES; i++) sum[i] = (sum[i] as number) ^ (digest[i] as number);
}
