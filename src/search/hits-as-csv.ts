import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import { AssetTable } from '../listing/csv/asset-table.js';
import { BYTE_ORDER_MARK } from '../listing/csv/csv-lines.js';
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
import type { SentCsv } from './csv-query.pipe.js';
import { FoundAssets } from './found-assets.js';
import { printCursor } from './search-parameters.js';

/** Answers that are being sent. Slow readers are among them, so they are many, and each holds little. */
const MAX_AT_ONCE = 20;
/** Assets that are read and printed for one of them before the next one is served. */
const ASSETS_AT_ONCE = 25;
/** To find, read and print a row takes about as long as printing so many bytes. Rate limits count it as such. */
const BYTES_OF_A_ROW = 500;
/** How much is held in memory for a reader that does not take it, where assets are not large. */
const CHUNK_BYTES = 32 * 1024;
/** A hit in the text in which all hits of an answer are kept: its id and its instant. */
const PRINTED_HIT = /([0-9a-f]{32})(\d{16})/g;
const HIT_LENGTH = 48;

/**
 * All hits of a search as CSV. They are found at one moment of the index, and each asset is read as it was then: so none is missing and none
 * comes twice, however slowly the client reads and whatever is changed meanwhile. Source: contract section 11.
 */
@Injectable()
export class HitsAsCsv {
  private readonly places = new PerClientSemaphore({ most: MAX_AT_ONCE });
  /** Hits are many objects until they are one text, and those who search for a page wait for the index too. */
  private readonly finding = new Semaphore(1);
  /** Where assets are large, some of them are megabytes in memory. */
  private readonly printing = new Semaphore(1);

  constructor(
    private readonly search: AssetSearch,
    private readonly found: FoundAssets,
    private readonly table: AssetTable,
    private readonly time: RegistryTime,
    private readonly origins: Origins,
    private readonly limits: RateLimits,
  ) {}

  /**
   * An answer that is being sent is broken off where its place is given to another client.
   * @throws ApiError 503 where there is no search, too many are being sent, or the database is away
   */
  async answer(sent: SentCsv, caller: Caller, request: RegistryRequest): Promise<StreamedAnswer> {
    const client = this.limits.clientOf(request);
    const sending = new Sending(client);
    const release = this.places.enter(client, sending);
    try {
      const { hits, nextCursor, indexedUs } = await this.finding.run(() => {
        sending.assertPlace();
        return this.find(sent, caller);
      });
      sending.assertPlace();
      caller.worked((hits.length / HIT_LENGTH) * BYTES_OF_A_ROW);
      const stream = sending.streamOf(this.lines(hits, sent.hasByteOrderMark)).once('close', release);
      const tag = contentDigest(`${VERSION} ${hits} ${nextCursor} ${sent.hasByteOrderMark}`);
      return new StreamedAnswer(200, stream, {
        ETag: `W/"${tag}"`,
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': 'attachment; filename="assets.csv"',
        'Feed-Offset': this.time.print(Math.max(indexedUs, 0)),
        ...(nextCursor !== undefined && this.cutHeaders(nextCursor, request)),
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Of a file that is cut: where it goes on. */
  private cutHeaders(cursor: string, request: RegistryRequest): Record<string, string> {
    const { uri } = nextPage(this.origins.of(request), cursor);
    return { Truncated: 'true', Link: `<${uri}>; rel="next"` };
  }

  private async find({ query, page }: SentCsv, caller: Caller): Promise<Found> {
    const found = await this.search.find(query, { ...page, limit: page.limit + 1 }, caller);
    if (found === undefined) throw unavailable('search_away');
    const { hits, indexedUs } = found;
    const last = hits.length > page.limit ? hits[page.limit - 1] : undefined;
    const printed = hits.slice(0, page.limit).map(printHit).join('');
    return { hits: printed, nextCursor: last && printCursor(last), indexedUs };
  }

  private async *lines(hits: string, hasByteOrderMark: boolean): AsyncGenerator<Buffer> {
    yield Buffer.from((hasByteOrderMark ? BYTE_ORDER_MARK : '') + this.table.header);
    for (let at = 0; at < hits.length / HIT_LENGTH;) {
      const wanted = hitsIn(hits.slice(at * HIT_LENGTH, (at + ASSETS_AT_ONCE) * HIT_LENGTH));
      const { text, last } = await this.printing.run(() => this.print(wanted));
      yield text;
      // Where assets are large, some are left for the next time.
      at += last === undefined ? wanted.length : wanted.indexOf(last) + 1;
    }
  }

  /** @returns the lines, and the last hit that was found */
  private async print(wanted: readonly IndexHit[]): Promise<{ text: Buffer; last: IndexHit | undefined }> {
    const found = await this.found.read(wanted);
    return { text: this.table.print(found.map(({ asset }) => asset)), last: found.at(-1)?.hit };
  }
}

interface Found {
  /** Their ids and instants in one text: whoever reads them slowly holds them for long. */
  hits: string;
  /** Where the rest begins; undefined where there is none. */
  nextCursor: string | undefined;
  indexedUs: number;
}

function printHit({ id, modifiedUs }: IndexHit): string {
  return id + String(modifiedUs).padStart(HIT_LENGTH - id.length, '0');
}

function hitsIn(text: string): IndexHit[] {
  return [...text.matchAll(PRINTED_HIT)].map(([, id = '', us]) => ({ id, modifiedUs: Number(us) }));
}

/** The place of one answer among those that are sent. */
class Sending implements Evictable {
  stalledSinceMs: number | undefined;
  private stream: Readable | undefined;
  private isLost = false;

  constructor(private readonly client: string) {}

  /** @throws ApiError 503 where it was evicted */
  assertPlace(): void {
    if (this.isLost) throw unavailable('place_lost');
  }

  streamOf(lines: AsyncIterable<Buffer>): Readable {
    this.stream = Readable.from(this.timed(lines), { objectMode: false, highWaterMark: CHUNK_BYTES });
    return this.stream;
  }

  evict(): void {
    this.isLost = true;
    if (this.stream !== undefined) logCut(this.client, 'another client needed its place');
    this.stream?.destroy();
  }

  /** Notes since when the client takes nothing. */
  private async *timed(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of lines) {
      this.stalledSinceMs = performance.now();
      yield chunk;
      this.stalledSinceMs = undefined;
    }
  }
}
