import type { Asset } from './asset-types.js';
import { entryTexts } from './entry-texts.js';
import type { Reply } from './connection.js';
import { notOfARegistry, objectIn } from './read-answer.js';

/** What a page holds of an asset: always these two, and the fields that were asked for. */
export type Entry = { id: string; dateModified: string } & Partial<Omit<Asset, 'id' | 'dateModified'>>;

/** Of a pause that is asked for: a timer knows no more than some weeks. */
const LONGEST_PAUSE_S = 86_400;

/** One page of the listing. */
export class Page {
  readonly entries: readonly Entry[];
  /** Where to go on: what was sent, on an empty page. */
  readonly nextOffset: string;
  /** Which history of the registry the page is of. */
  readonly epoch: string;
  /** On an empty page: how long to wait until there may be more. */
  readonly backoffMs?: number;
  readonly #text: string;
  /** Entries of the answer that are left out, at its beginning. */
  readonly #leftOut: number;

  /** @param known the `dateModified` of an entry that is left out @throws UnexpectedAnswer for what is no page */
  constructor({ text, headers }: Reply, known?: string) {
    const { data, next_page: next } = objectIn(text);
    const { offset } = Object(next) as { offset?: unknown };
    if (!Array.isArray(data) || !data.every(isEntry) || typeof offset !== 'string') throw notOfARegistry(text);
    this.entries = data.filter(({ dateModified }) => dateModified !== known);
    this.#leftOut = data.length - this.entries.length;
    this.nextOffset = offset;
    this.epoch = String(headers['feed-epoch'] ?? '');
    const backoff = Number(headers['backoff']);
    if (backoff > 0) this.backoffMs = Math.min(backoff, LONGEST_PAUSE_S) * 1_000;
    this.#text = text;
  }

  /** The JSON text of each entry as it came: `100.0` is still `100.0` in it. Each call looks for them again. */
  texts(): string[] {
    return entryTexts(this.#text).slice(this.#leftOut);
  }
}

function isEntry(value: unknown): value is Entry {
  const { id, dateModified } = Object(value) as Partial<Entry>;
  return typeof id === 'string' && typeof dateModified === 'string';
}
