import type { Asset } from './asset-types.js';
import { entryTexts } from './entry-texts.js';
import type { Reply } from './connection.js';
import { notARegistry, objectIn } from './read-answer.js';

/** An entry of a page: these two fields, and those that were requested. */
export type Entry = { id: string; dateModified: string } & Partial<Omit<Asset, 'id' | 'dateModified'>>;

/** Maximum pause: timers are limited to some weeks. */
const MAX_PAUSE_S = 86_400;

/** One page of the listing. */
export class Page {
  readonly entries: readonly Entry[];
  /** The offset of the next page; on an empty page, the offset sent. */
  readonly nextOffset: string;
  /** The epoch of the feed. */
  readonly epoch: string;
  /** Only on an empty page: how long to wait for more. */
  readonly backoffMs?: number;
  readonly #text: string;
  /** Number of entries omitted at the beginning of the answer. */
  readonly #omitted: number;

  /** @param known the `dateModified` of an entry to omit @throws UnexpectedAnswer for an answer that is not a page */
  constructor({ text, headers }: Reply, known?: string) {
    const { data, next_page: next } = objectIn(text);
    const { offset } = Object(next) as { offset?: unknown };
    if (!Array.isArray(data) || !data.every(isEntry) || typeof offset !== 'string') throw notARegistry(text);
    this.entries = data.filter(({ dateModified }) => dateModified !== known);
    this.#omitted = data.length - this.entries.length;
    this.nextOffset = offset;
    this.epoch = String(headers['feed-epoch'] ?? '');
    const backoff = Number(headers['backoff']);
    if (backoff > 0) this.backoffMs = Math.min(backoff, MAX_PAUSE_S) * 1_000;
    this.#text = text;
  }

  /** The unchanged JSON text of each entry: `100.0` stays `100.0`. Each call extracts them again. */
  texts(): string[] {
    return entryTexts(this.#text).slice(this.#omitted);
  }
}

function isEntry(value: unknown): value is Entry {
  const { id, dateModified } = Object(value) as Partial<Entry>;
  return typeof id === 'string' && typeof dateModified === 'string';
}
