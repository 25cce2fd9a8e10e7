import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import { VERSION } from '../platform/config/version.js';
import type { IndexHit } from '../database/search/index-answers.js';
import { unavailable } from '../platform/errors/errors.js';
import { StreamedAnswer } from '../http/answer.js';
import { contentDigest } from '../http/encoding.js';
import type { Caller } from '../http/caller.js';
import { logCut } from '../http/cut-connection.js';
import { Origins } from '../http/origins.js';
import type { RegistryRequest } from '../http/request.js';
import { RateLimits } from '../http/limits/rate-limits.js';
import { type Evictable, PerClientSemaphore } from '../http/limits/per-client-semaphore.js';
import { nextPage } from '../listing/feed-pages.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetSearch } from './asset-search.js';
import type { FileQuery } from './file-query.js';
import { type FoundAsset, FoundAssets } from './found-assets.js';
import { printCursor } from './search-parameters.js';

/** Files sent at the same time. Clients may be slow, so the limit is high and each file buffers little. */
const MAX_CONCURRENT_FILES = 20;
/** Assets read and printed for one file before another file gets its chance. */
const ASSETS_PER_CHUNK = 25;
/** Bytes buffered for a client that does not read, unless a single chunk is larger. */
const CHUNK_BYTES = 32 * 1024;
/** A packed hit: id and instant. */
const PACKED_HIT = /([0-9a-f]{32})(\d{16})/g;
const HIT_LENGTH = 48;

/** Reads packed hits and prints them in chunks. */
export type PrintHits = <Printed>(
  hits: string,
  print: (found: readonly FoundAsset[]) => Printed,
) => AsyncGenerator<Printed>;

export interface FileFormat {
  headers: Readonly<Record<'Content-Type' | 'Content-Disposition', string>> & Readonly<{ Vary?: string }>;
  /** Everything besides the hits and the time zone that the bytes depend on, for the ETag. */
  variant: string;
  /** Cost of a row for the rate limits, in bytes of a printed answer. */
  bytesPerRow: number;
  chunks(hits: string, print: PrintHits): AsyncIterable<Buffer>;
}

/**
 * Sends all hits of a search as a file. The search runs once and each asset is read in its indexed version, so no row is missing or repeated,
 * even if the client reads slowly and assets change meanwhile. Source: contract section 11.
 */
@Injectable()
export class HitsAsFile {
  private readonly slots = new PerClientSemaphore({ max: MAX_CONCURRENT_FILES });
  /** One search at a time: its hits are many objects until they are packed, and page searches need the index as well. */
  private readonly findSlot = new Semaphore(1);
  /** One chunk at a time: large assets take megabytes. */
  private readonly printSlot = new Semaphore(1);

  constructor(
    private readonly search: AssetSearch,
    private readonly found: FoundAssets,
    private readonly time: RegistryTime,
    private readonly origins: Origins,
    private readonly limits: RateLimits,
  ) {}

  /**
   * A file that is being sent is cut off if its slot goes to another client.
   * @throws ApiError 503 if there is no search, too many files are being sent, or the database is down
   */
  async answer(
    query: FileQuery,
    format: FileFormat,
    caller: Caller,
    request: RegistryRequest,
  ): Promise<StreamedAnswer> {
    const client = this.limits.clientOf(request);
    const file = new FileStream(client);
    const release = this.slots.enter(client, file);
    try {
      const { hits, nextCursor, indexedUs } = await this.findSlot.run(() => {
        file.assertNotEvicted();
        return this.find(query, caller);
      });
      // Fails before the head is sent if the database is down: the index alone would answer 200 and then cut the file off.
      await this.found.read(unpackHits(hits.slice(0, HIT_LENGTH)));
      file.assertNotEvicted();
      caller.chargeWork((hits.length / HIT_LENGTH) * format.bytesPerRow);
      const stream = file
        .streamOf(format.chunks(hits, (some, print) => this.printHits(some, print)))
        .once('close', release);
      const tag = contentDigest(`${VERSION} ${this.time.timeZone} ${hits} ${nextCursor} ${format.variant}`);
      return new StreamedAnswer(200, stream, {
        ETag: `W/"${tag}"`,
        ...format.headers,
        'Feed-Offset': this.time.print(Math.max(indexedUs, 0)),
        ...(nextCursor !== undefined && this.truncationHeaders(nextCursor, request)),
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Headers of a truncated file: the link to the rest. */
  private truncationHeaders(cursor: string, request: RegistryRequest): Record<string, string> {
    const { uri } = nextPage(this.origins.of(request), cursor);
    return { Truncated: 'true', Link: `<${uri}>; rel="next"` };
  }

  private async find({ query, page }: FileQuery, caller: Caller): Promise<PackedHits> {
    const found = await this.search.find(query, { ...page, limit: page.limit + 1 }, caller);
    if (found === undefined) throw unavailable('search_away');
    const { hits, indexedUs } = found;
    const last = hits.length > page.limit ? hits[page.limit - 1] : undefined;
    const printed = hits.slice(0, page.limit).map(packHit).join('');
    return { hits: printed, nextCursor: last && printCursor(last), indexedUs };
  }

  private async *printHits<Printed>(
    hits: string,
    print: (found: readonly FoundAsset[]) => Printed,
  ): AsyncGenerator<Printed> {
    for (let at = 0; at < hits.length / HIT_LENGTH;) {
      const wanted = unpackHits(hits.slice(at * HIT_LENGTH, (at + ASSETS_PER_CHUNK) * HIT_LENGTH));
      const { printed, last } = await this.printSlot.run(async () => {
        const found = await this.found.read(wanted);
        return { printed: print(found), last: found.at(-1)?.hit };
      });
      yield printed;
      // SQLite answers synchronously: without this, other requests would wait for the whole file.
      await setImmediate();
      // Large assets may not all fit into one read.
      at += last === undefined ? wanted.length : wanted.indexOf(last) + 1;
    }
  }
}

interface PackedHits {
  /** Ids and instants in one string, which takes less memory than objects while a slow client reads. */
  hits: string;
  /** Cursor of the remaining hits; undefined if the file has them all. */
  nextCursor: string | undefined;
  indexedUs: number;
}

export function packHit({ id, modifiedUs }: IndexHit): string {
  return id + String(modifiedUs).padStart(HIT_LENGTH - id.length, '0');
}

function unpackHits(text: string): IndexHit[] {
  return [...text.matchAll(PACKED_HIT)].map(([, id = '', us]) => ({ id, modifiedUs: Number(us) }));
}

/** A file being sent; it may lose its slot to another client. */
class FileStream implements Evictable {
  stalledSinceMs: number | undefined;
  private stream: Readable | undefined;
  private isEvicted = false;

  constructor(private readonly client: string) {}

  /** @throws ApiError 503 */
  assertNotEvicted(): void {
    if (this.isEvicted) throw unavailable('place_lost');
  }

  streamOf(chunks: AsyncIterable<Buffer>): Readable {
    this.stream = Readable.from(this.noteStalls(chunks), { objectMode: false, highWaterMark: CHUNK_BYTES });
    return this.stream;
  }

  evict(): void {
    this.isEvicted = true;
    if (this.stream !== undefined) logCut(this.client, 'its slot went to another client');
    this.stream?.destroy();
  }

  /** Measures how long the client has not read. */
  private async *noteStalls(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.stalledSinceMs = performance.now();
      yield chunk;
      this.stalledSinceMs = undefined;
    }
  }
}
