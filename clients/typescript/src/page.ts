import type { Asset } from './asset-types.js';
import { entryTexts } from './entry-texts.js';
import type { Reply } from './connection.js';

/** What a page holds of an asset: always these two, and the fields that were asked for. */
export type Entry = { id: string; dateModified: string } & Partial<Omit<Asset, 'id' | 'dateModified'>>;

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

  constructor({ text, headers }: Reply) {
    const { data, next_page: next } = JSON.parse(text) as { data: Entry[]; next_page: { offset: string } };
    this.entries = data;
    this.nextOffset = next.offset;
    this.epoch = String(headers['feed-epoch'] ?? '');
    const backoff = Number(headers['backoff']);
    if (backoff > 0) this.backoffMs = backoff * 1_000;
    this.#text = text;
  }

  /** The JSON text of each entry as it came: `100.0` is still `100.0` in it. Each call looks for them again. */
  texts(): string[] {
    return entryTexts(this.#text);
  }
}
