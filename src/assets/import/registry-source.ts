import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '../../platform/concurrency/semaphore.js';
import { linesOf, type NumberedLine } from './json-lines.js';

/*
 * A live registry of this family, read into a file of JSON lines. Behind each page stands a line with the offset of the next one, so that
 * reading that was broken off goes on there.
 */

const PAGE = 100;
const AT_ONCE = 8;
const ATTEMPTS = 8;
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
const ANSWER_MS = 60_000;
const OFFSET_LINE = /^\{"offset":.*\}$/;

type JsonObject = Record<string, unknown>;

interface Page {
  data: JsonObject[];
  next_page: { offset: string };
}

/**
 * Reads every listed asset, and appends it to a file.
 * @param url of the registry, with or without the prefix of its API
 * @param reached is told how many assets were read by this call
 * @throws Error that says which request failed, after several attempts
 */
export async function readRegistry(url: string, file: string, reached: (assets: number) => void): Promise<void> {
  const source = new RegistrySource(assetsOf(url));
  let offset = existsSync(file) ? resumed(file) : '';
  let assets = 0;
  for (;;) {
    const { data, next_page: next } = await source.page(offset);
    if (data.length === 0) return;
    const whole = await Promise.all(data.map((entry) => source.whole(entry)));
    offset = next.offset;
    appendFileSync(file, [...whole, { offset }].map((line) => `${JSON.stringify(line)}\n`).join(''));
    assets += data.length;
    reached(assets);
  }
}

/** The lines of a file that was read so, without those of assets that were read again later, as they changed meanwhile. */
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

/** Cuts off a page that was not written whole. @returns the offset to go on from */
function resumed(file: string): string {
  const text = readFileSync(file, 'utf8');
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const last = lines.findLastIndex((line) => OFFSET_LINE.test(line));
  const whole = lines.slice(0, last + 1).join('\n');
  truncateSync(file, Buffer.byteLength(last < 0 ? '' : `${whole}\n`));
  return last < 0 ? '' : (JSON.parse(lines[last] as string) as { offset: string }).offset;
}

/** The requests of one reading. */
class RegistrySource {
  private readonly atOnce = new Semaphore(AT_ONCE);
  private cookie: string | undefined;

  /** @param assets URL of the listing */
  constructor(private readonly assets: string) {}

  page(offset: string): Promise<Page> {
    const query = new URLSearchParams({ limit: String(PAGE), opt_fields: '*', ...(offset !== '' && { offset }) });
    return this.get(`${this.assets}?${query.toString()}`) as Promise<Page>;
  }

  /** Older servers list ids and dates alone, whatever fields are asked for. */
  async whole(entry: JsonObject): Promise<JsonObject> {
    if (entry['assetType'] !== undefined) return entry;
    const { data } = (await this.atOnce.run(() => this.get(`${this.assets}/${String(entry['id'])}`))) as Page;
    return data as unknown as JsonObject;
  }

  private async get(url: string): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const failed = await this.attempt(url);
      if (!('pauseMs' in failed)) return failed.json;
      if (attempt === ATTEMPTS || failed.isFinal) throw new Error(`GET ${url}: ${failed.reason}`);
      await sleep(Math.min(failed.pauseMs * 2 ** (attempt - 1), LONGEST_PAUSE_MS));
    }
  }

  private async attempt(
    url: string,
  ): Promise<{ json: unknown } | { pauseMs: number; reason: string; isFinal: boolean }> {
    try {
      const headers = { Accept: 'application/json', ...(this.cookie !== undefined && { Cookie: this.cookie }) };
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
      this.cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? this.cookie;
      if (answer.ok) return { json: await answer.json() };
      await answer.arrayBuffer();
      // A server of a cluster asks to repeat the request with its cookie.
      const isFinal = answer.status < 500 && ![408, 412, 429].includes(answer.status);
      const pauseMs = Number(answer.headers.get('retry-after')) * 1_000 || PAUSE_MS;
      return { pauseMs, reason: `the answer is ${answer.status}`, isFinal };
    } catch (error) {
      const { cause, message } = error as Error;
      return { pauseMs: PAUSE_MS, reason: cause instanceof Error ? cause.message : message, isFinal: false };
    }
  }
}
