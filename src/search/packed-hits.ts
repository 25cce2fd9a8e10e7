import type { IndexHit } from '../database/search/index-answers.js';
import { contentDigest } from '../http/encoding.js';

const ID_BYTES = 16;
const BYTES = ID_BYTES + 8;

/** Many hits in 24 bytes each: whoever reads them slowly holds them for long. */
export class PackedHits {
  private constructor(private readonly bytes: Buffer) {}

  /** @param most of them, the first ones */
  static of(hits: readonly IndexHit[], most: number): PackedHits {
    const length = Math.min(hits.length, most);
    const bytes = Buffer.allocUnsafe(length * BYTES);
    for (let i = 0; i < length; i++) {
      const { id, modifiedUs } = hits[i] as IndexHit;
      bytes.write(id, i * BYTES, 'hex');
      bytes.writeDoubleLE(modifiedUs, i * BYTES + ID_BYTES);
    }
    return new PackedHits(bytes);
  }

  /** Another one for other hits, or for one that was changed. */
  get digest(): string {
    return contentDigest(this.bytes);
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
