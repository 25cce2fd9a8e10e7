import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '../../platform/concurrency/semaphore.js';
import { linesOf, type NumberedLine } from './json-lines.js';

/*
 * Reads a live registry of this API family into a file of JSON lines. At its beginning and after each page the file has a line with the next
 * offset, from which an interrupted read resumes.
 */

const PAGE_SIZE = 100;
const MAX_CONCURRENT = 8;
const MAX_ATTEMPTS = 8;
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const TIMEOUT_MS = 60_000;
const LINE_FEED = '\n';
const FIRST_LINE = `{"offset":""}${LINE_FEED}`;
const OFFSET_LINE_START = `${LINE_FEED}{"offset":`;
const SEARCHED_BYTES = 1024 * 1024;

type JsonObject = Record<string, unknown>;

interface Page {
  data: JsonObject[];
  next_page: { offset: string };
}

/**
 * Appends every listed asset to a file.
 * @param url of the registry, with or without the prefix of its API
 * @param onPage called with the number of assets read so far by this call
 * @throws Error naming the request that failed, after several attempts; or the file, if it has other contents
 */
export async function readRegistry(url: string, file: string, onPage: (assets: number) => void): Promise<void> {
  const source = new RegistrySource(assetsOf(url));
  let offset = existsSync(file) ? resume(file) : begin(file);
  let assets = 0;
  for (;;) {
    const { data, next_page: next } = await source.page(offset);
    if (data.length === 0) return;
    const whole = await Promise.all(data.map((entry) => source.whole(entry)));
    offset = next.offset;
    appendFileSync(file, [...whole, { offset }].map((line) => `${JSON.stringify(line)}\n`).join(''));
    assets += data.length;
    onPage(assets);
  }
}

/** Reads the lines of such a file, and skips those of assets that changed meanwhile and have a later line. */
export async function* newestLinesOf(file: string): AsyncGenerator<NumberedLine> {
  const newest = new Map<unknown, number>();
  for await (const { number, text } of linesOf(file)) newest.set(idIn(text), number);
  for await (const line of linesOf(file)) if (newest.get(idIn(line.text)) === line.number) yield line;
}

function idIn(text: string): unknown {
  return (JSON.parse(text) as JsonObject)['id'];
}

function assetsOf(url: string): string {
  const { href, pathname } = new URL(url);
  const base = href.replace(/[/?#]*$/, '');
  if (base.endsWith('/assets')) return base;
  return pathname.startsWith('/api/') ? `${base}/assets` : `${base}/api/0.1/assets`;
}

function begin(file: string): string {
  writeFileSync(file, FIRST_LINE);
  return '';
}

/** Truncates an incomplete page. @returns the offset to resume from @throws Error if the file was not written by `readRegistry` */
function resume(file: string): string {
  const { offset, end } = readLastOffset(file);
  if (offset === '') return begin(file);
  truncateSync(file, end);
  return offset;
}

/** Searches from the end, in parts, because the file may be larger than the memory. @returns the last offset, and where its line ends */
function readLastOffset(file: string): { offset: string; end: number } {
  const descriptor = openSync(file, 'r');
  try {
    if (!FIRST_LINE.startsWith(readBytes(descriptor, 0, FIRST_LINE.length).toString()))
      throw new Error(`${file} has other contents: name a file that does not exist yet`);
    for (let end = fstatSync(descriptor).size; end > 0;) {
      const start = Math.max(end - SEARCHED_BYTES, 0);
      const found = readBytes(descriptor, start, end + OFFSET_LINE_START.length - 1).lastIndexOf(OFFSET_LINE_START);
      end = found < 0 ? start : start + found;
      const line = found < 0 ? Buffer.alloc(0) : readBytes(descriptor, end + 1, end + SEARCHED_BYTES);
      const length = line.indexOf(LINE_FEED);
      if (length < 0) continue;
      const { offset } = JSON.parse(line.toString('utf8', 0, length)) as { offset: string };
      return { offset, end: end + 1 + length + 1 };
    }
    return { offset: '', end: 0 };
  } finally {
    closeSync(descriptor);
  }
}

/** @param end exclusive; the file may end before it */
function readBytes(descriptor: number, start: number, end: number): Buffer {
  const bytes = Buffer.alloc(end - start);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start));
}

/** The requests to one registry. */
class RegistrySource {
  private readonly limit = new Semaphore(MAX_CONCURRENT);
  private cookie: string | undefined;

  /** @param assets URL of the listing */
  constructor(private readonly assets: string) {}

  page(offset: string): Promise<Page> {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), opt_fields: '*', ...(offset !== '' && { offset }) });
    return this.get(`${this.assets}?${query.toString()}`) as Promise<Page>;
  }

  /** Reads an asset that the listing has without its fields, because older servers ignore `opt_fields`. */
  async whole(entry: JsonObject): Promise<JsonObject> {
    if (entry['assetType'] !== undefined) return entry;
    const { data } = (await this.limit.run(() => this.get(`${this.assets}/${String(entry['id'])}`))) as Page;
    return data as unknown as JsonObject;
  }

  private async get(url: string): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const failed = await this.attempt(url);
      if (!('pauseMs' in failed)) return failed.json;
      if (attempt === MAX_ATTEMPTS || failed.isFinal) throw new Error(`GET ${url}: ${failed.reason}`);
      await sleep(Math.min(failed.pauseMs * 2 ** (attempt - 1), MAX_PAUSE_MS));
    }
  }

  private async attempt(
    url: string,
  ): Promise<{ json: unknown } | { pauseMs: number; reason: string; isFinal: boolean }> {
    try {
      const headers = { Accept: 'application/json', ...(this.cookie !== undefined && { Cookie: this.cookie }) };
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      this.cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
      if (answer.ok) return { json: await answer.json() };
      await answer.arrayBuffer();
      // 412 comes from a clustered server: repeat the request with its cookie.
      const isFinal = answer.status < 500 && ![408, 412, 429].includes(answer.status);
      const pauseMs = Number(answer.headers.get('retry-after')) * 1_000 || PAUSE_MS;
      return { pauseMs, reason: `the answer is ${answer.status}`, isFinal };
    } catch (error) {
      const { cause, message } = error as Error;
      return { pauseMs: PAUSE_MS, reason: cause instanceof Error ? cause.message : message, isFinal: false };
    }
  }
}
