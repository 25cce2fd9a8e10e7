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
 * Content codings of answers. What is compressed has to be public: the length of a compressed answer that holds a secret, and beside it what
 * a stranger chose, tells the secret (BREACH).
 */

type Coding = 'br' | 'zstd' | 'gzip';
type Coder = (body: Buffer) => Promise<Buffer>;

/** Below it the headers weigh as much as what is saved, in bytes. */
const SMALLEST = 1024;
/** Node's thread pool has four threads; files and names of hosts need some of them. */
const MAX_AT_ONCE = 2;
/** While so many answers wait to be compressed, further ones are sent uncompressed, which is sooner. */
const MAX_WAITING = 16;
/** What is kept of compressed answers, in bytes. */
const MAX_KEPT = 16 * 1024 * 1024;
/** Bytes that come from the thread pool at a time: each time costs a round of the event loop. */
const OPTIONS = { chunkSize: 64 * 1024 };

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT, BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
const [brotli, gzip] = [promisify(zlib.brotliCompress), promisify(zlib.gzip)];
/** Node has it since 22.15. */
const { zstdCompress } = zlib as Partial<Pick<typeof zlib, 'zstdCompress'>>;

/** Levels at which a page takes milliseconds. From 7 on, Brotli takes many times as long, and saves little before 11. */
const CODERS: Readonly<Partial<Record<Coding, Coder>>> = {
  br: (body) =>
    brotli(body, { ...OPTIONS, params: { [BROTLI_PARAM_QUALITY]: 5, [BROTLI_PARAM_SIZE_HINT]: body.length } }),
  ...(zstdCompress && { zstd: (body: Buffer) => promisify(zstdCompress)(body, OPTIONS) }),
  gzip: (body) => gzip(body, OPTIONS),
};
/** Those of this runtime; the first are taken where a client likes all the same. */
export const CODINGS = Object.keys(CODERS) as Coding[];

/** What its published types do not know yet. */
interface Preferring {
  encodings(available: readonly string[], among: { preferred: readonly string[] }): string[];
}

/** Names something by what is in it. */
export function contentDigest(what: string | NodeJS.ArrayBufferView): string {
  return hash('sha256', what as string, 'base64url');
}

/** The coding in which an answer of such a body is sent; undefined: as it is. */
export function codingFor(request: Pick<RegistryRequest, 'headers'>, body: { length: number }): Coding | undefined {
  if (body.length <= SMALLEST || request.headers['accept-encoding'] === undefined) return undefined;
  const negotiator = new Negotiator(request) as unknown as Preferring;
  const [wanted] = negotiator.encodings([...CODINGS, 'identity'], { preferred: CODINGS });
  return wanted === 'identity' ? undefined : (wanted as Coding | undefined);
}

/**
 * Compresses what is sent as it is made, and holds nothing back: where little comes at a time, a connection on which nothing is sent for a
 * minute is cut.
 */
export function compressing(coding: Coding): Transform {
  if (coding === 'br')
    return zlib.createBrotliCompress({ flush: BROTLI_OPERATION_FLUSH, params: { [BROTLI_PARAM_QUALITY]: 4 } });
  if (coding === 'gzip') return zlib.createGzip({ flush: Z_SYNC_FLUSH });
  return zlib.createZstdCompress({ flush: zlib.constants.ZSTD_e_flush });
}

/** Compresses bodies, each once for all who ask for it. They are known by their bytes, so nobody is given an answer to another request. */
export class CompressedBodies {
  private readonly kept = new LRUCache<string, Buffer>({ maxSize: MAX_KEPT, sizeCalculation: ({ length }) => length });
  private readonly underWay = new Map<string, Promise<Buffer | undefined>>();
  private readonly atOnce = new Semaphore(MAX_AT_ONCE);

  constructor(private readonly coders = CODERS) {}

  /** @returns undefined where too many wait already, or there is no memory for it: then the body is sent as it is */
  async read(body: Bytes, coding: Coding): Promise<Buffer | undefined> {
    const key = `${coding} ${contentDigest(body)}`;
    const known = this.kept.get(key) ?? this.underWay.get(key);
    if (known !== undefined) return known;
    if (this.atOnce.waiting >= MAX_WAITING) return undefined;
    const begun = this.compress(key, body, coding);
    this.underWay.set(key, begun);
    return begun;
  }

  private async compress(key: string, body: Bytes, coding: Coding): Promise<Buffer | undefined> {
    try {
      const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
      const coded = await this.atOnce.run(() => (this.coders[coding] as Coder)(bytes));
      // A copy: small ones are the beginning of a whole chunk, which would stay as long as they are kept.
      const copy = Buffer.allocUnsafeSlow(coded.length);
      coded.copy(copy);
      this.kept.set(key, copy);
      return copy;
    } catch {
      return undefined;
    } finally {
      this.underWay.delete(key);
    }
  }
}
