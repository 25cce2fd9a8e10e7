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

/** Answers that are being sent. Slow readers are among them, so they are many, and each holds little. */
const MAX_CONCURRENT_FILES = 20;
/** Assets that are read and printed for one of them before the next one is served. */
const ASSETS_PER_CHUNK = 25;
/** How much is held in memory for a reader that does not take it, where assets are not large. */
const CHUNK_BYTES = 32 * 1024;
/** A hit in the text in which all hits of an answer are kept: its id and its instant. */
const PACKED_HIT = /([0-9a-f]{32})(\d{16})/g;
const HIT_LENGTH = 48;

/** Prints hits, which stand in one text, as many at a time as are read together. */
export type PrintHits = <Printed>(
  hits: string,
  print: (found: readonly FoundAsset[]) => Printed,
) => AsyncGenerator<Printed>;

/** A form in which hits are sent. */
export interface FileFormat {
  headers: Readonly<Record<'Content-Type' | 'Content-Disposition', string>> & Readonly<{ Vary?: string }>;
  /** What decides about the bytes, beside the hits. */
  variant: string;
  /** To find, read and print a row takes about as long as printing so many bytes. Rate limits count it as such. */
  bytesPerRow: number;
  chunks(hits: string, print: PrintHits): AsyncIterable<Buffer>;
}

/**
 * All hits of a search as a file. They are found at one moment of the index, and each asset is read as it was then: so none is missing and none
 * comes twice, however slowly the client reads and whatever is changed meanwhile. Source: contract section 11.
 */
@Injectable()
export class HitsAsFile {
  private readonly slots = new PerClientSemaphore({ most: MAX_CONCURRENT_FILES });
  /** Hits are many objects until they are one text, and those who search for a page wait for the index too. */
  private readonly findSlot = new Semaphore(1);
  /** Where assets are large, some of them are megabytes in memory. */
  private readonly printSlot = new Semaphore(1);

  constructor(
    private readonly search: AssetSearch,
    private readonly found: FoundAssets,
    private readonly time: RegistryTime,
    private readonly origins: Origins,
    private readonly limits: RateLimits,
  ) {}

  /**
   * An answer that is being sent is broken off where its place is given to another client.
   * @throws ApiError 503 where there is no search, too many are being sent, or the database is away
   */
  async answer(sent: FileQuery, format: FileFormat, caller: Caller, request: RegistryRequest): Promise<StreamedAnswer> {
    const client = this.limits.clientOf(request);
    const file = new FileStream(client);
    const release = this.slots.enter(client, file);
    try {
      const { hits, nextCursor, indexedUs } = await this.findSlot.run(() => {
        file.assertNotEvicted();
        return this.find(sent, caller);
      });
      file.assertNotEvicted();
      caller.worked((hits.length / HIT_LENGTH) * format.bytesPerRow);
      const stream = file
        .streamOf(format.chunks(hits, (some, print) => this.printHits(some, print)))
        .once('close', release);
      const tag = contentDigest(`${VERSION} ${hits} ${nextCursor} ${format.variant}`);
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

  /** Of a file that is cut: where it goes on. */
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
      // A database in this process answers without a turn of the event loop: others would wait for the whole file.
      await setImmediate();
      // Where assets are large, some are left for the next time.
      at += last === undefined ? wanted.length : wanted.indexOf(last) + 1;
    }
  }
}

interface PackedHits {
  /** Their ids and instants in one text: whoever reads them slowly holds them for long. */
  hits: string;
  /** Where the rest begins; undefined where there is none. */
  nextCursor: string | undefined;
  indexedUs: number;
}

/** A hit in the text of all. */
export function packHit({ id, modifiedUs }: IndexHit): string {
  return id + String(modifiedUs).padStart(HIT_LENGTH - id.length, '0');
}

function unpackHits(text: string): IndexHit[] {
  return [...text.matchAll(PACKED_HIT)].map(([, id = '', us]) => ({ id, modifiedUs: Number(us) }));
}

/** The place of one answer among those that are sent. */
class FileStream implements Evictable {
  stalledSinceMs: number | undefined;
  private stream: Readable | undefined;
  private isEvicted = false;

  constructor(private readonly client: string) {}

  /** @throws ApiError 503 where it was evicted */
  assertNotEvicted(): void {
    if (this.isEvicted) throw unavailable('place_lost');
  }

  streamOf(chunks: AsyncIterable<Buffer>): Readable {
    this.stream = Readable.from(this.noteStalls(chunks), { objectMode: false, highWaterMark: CHUNK_BYTES });
    return this.stream;
  }

  evict(): void {
    this.isEvicted = true;
    if (this.stream !== undefined) logCut(this.client, 'another client needed its place');
    this.stream?.destroy();
  }

  /** Notes since when the client takes nothing. */
  private async *noteStalls(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.stalledSinceMs = performance.now();
      yield chunk;
      this.stalledSinceMs = undefined;
    }
  }
}
