import type { IndexHit } from '../database/search/index-query.js';

const ID_BYTES = 16;
const BYTES = ID_BYTES + 8;

/** Many hits in 24 bytes each: whoever reads them slowly holds them for long. */
export class PackedHits {
  private readonly bytes: Buffer;

  constructor(hits: readonly IndexHit[]) {
    this.bytes = Buffer.allocUnsafe(hits.length * BYTES);
    for (const [i, { id, modifiedUs }] of hits.entries()) {
      this.bytes.write(id, i * BYTES, 'hex');
      this.bytes.writeDoubleLE(modifiedUs, i * BYTES + ID_BYTES);
    }
  }

  get length(): number {
    return this.bytes.length / BYTES;
  }

  /** At most so many, from one of them on. */
  some(from: number, most: number): IndexHit[] {
    return Array.from({ length: Math.min(most, this.length - from) }, (_, i) => {
      const at = (from + i) * BYTES;
      const id = this.bytes.toString('hex', at, at + ID_BYTES);
      return { id, modifiedUs: this.bytes.readDoubleLE(at + ID_BYTES) };
    });
  }
}
