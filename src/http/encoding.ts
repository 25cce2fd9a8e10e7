import { hash } from 'node:crypto';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import type { Bytes } from '../platform/text/encoded-text.js';
import type { RegistryRequest } from './request.js';

/*
 * Content codings of answers. Only public answers may be compressed: if an answer contains a secret and text that an attacker chose, its
 * compressed length reveals the secret (BREACH).
 */

type Coding = 'br' | 'zstd' | 'gzip';
type Coder = (body: Buffer) => Promise<Buffer>;

/** Compressing smaller bodies saves no more than the additional headers cost. */
const MIN_BYTES = 1024;
/** Node's thread pool has four threads; file access and DNS lookups need some of them. */
const MAX_CONCURRENT = 2;
/** While this many answers wait to be compressed, further ones are sent uncompressed, which is faster. */
const MAX_WAITING = 16;
const MAX_CACHE_BYTES = 16 * 1024 * 1024;
/** Large chunks, because each costs a round of the event loop. */
const OPTIONS = { chunkSize: 64 * 1024 };

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
const [brotli, gzip] = [promisify(zlib.brotliCompress), promisify(zlib.gzip)];
/** Node has it since 22.15. */
const { zstdCompress } = zlib as Partial<Pick<typeof zlib, 'zstdCompress'>>;

/** Quality levels that take milliseconds for a page. From 7 on, Brotli takes many times as long, and saves little before 11. */
const CODERS: Readonly<Partial<Record<Coding, Coder>>> = {
  br: (body) =>
    brotli(body, { ...OPTIONS, params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_SIZE_HINT]: body.length } }),
  ...(zstdCompress && { zstd: (body: Buffer) => promisify(zstdCompress)(body, OPTIONS) }),
  gzip: (body) => gzip(body, OPTIONS),
};
/** Codings of this runtime. If a client accepts several equally, the first is used. */
export const CODINGS = Object.keys(CODERS) as Coding[];

/** An option of Negotiator that its published types lack. */
interface NegotiatorWithPreference {
  encodings(available: readonly string[], among: { preferred: readonly string[] }): string[];
}

export function contentDigest(content: string | NodeJS.ArrayBufferView): string {
  return hash('sha256', content as string, 'base64url');
}

/** @returns the coding for a body of this length; undefined: send it uncompressed */
export function codingFor(request: Pick<RegistryRequest, 'headers'>, body: { length: number }): Coding | undefined {
  if (body.length <= MIN_BYTES || request.headers['accept-encoding'] === undefined) return undefined;
  const negotiator = new Negotiator(request) as unknown as NegotiatorWithPreference;
  const [wanted] = negotiator.encodings([...CODINGS, 'identity'], { preferred: CODINGS });
  return wanted === 'identity' ? undefined : (wanted as Coding | undefined);
}

/**
 * Makes a compressor for a streamed answer. It flushes after every write, because a connection on which nothing is sent for a minute is cut.
 */
export function compressionStream(coding: Coding): Transform {
  if (coding === 'br')
    return zlib.createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH, params: { [BROTLI_PARAM_QUALITY]: 4 } });
  if (coding === 'gzip') return zlib.createGzip({ flush: Z_SYNC_FLUSH });
  return zlib.createZstdCompress({ flush: zlib.constants.ZSTD_e_flush });
}

/** Compresses bodies and caches the results. The key is a hash of the body, so a result never goes into an answer with another body. */
export class CompressedBodies {
  private readonly cache = new LRUCache<string, Buffer>({
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  private readonly pending = new Map<string, Promise<Buffer | undefined>>();
  private readonly limit = new Semaphore(MAX_CONCURRENT);

  constructor(private readonly coders = CODERS) {}

  /** @returns undefined if too many wait already, or compression fails: send the body uncompressed */
  async get(body: Bytes, coding: Coding): Promise<Buffer | undefined> {
    const key = `${coding} ${contentDigest(body)}`;
    const known = this.cache.get(key) ?? this.pending.get(key);
    if (known !== undefined) return known;
    if (this.limit.waiting >= MAX_WAITING) return undefined;
    const begun = this.compress(key, body, coding);
    this.pending.set(key, begun);
    return begun;
  }

  private async compress(key: string, body: Bytes, coding: Coding): Promise<Buffer | undefined> {
    try {
      const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
      const coded = await this.limit.run(() => (this.coders[coding] as Coder)(bytes));
      // Copy it: a small result is a view of a whole chunk, which the cache would keep in memory.
      const copy = Buffer.allocUnsafeSlow(coded.length);
      coded.copy(copy);
      this.cache.set(key, copy);
      return copy;
    } catch {
      return undefined;
    } finally {
      this.pending.delete(key);
    }
  }
}
