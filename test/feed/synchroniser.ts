import { ASSETS } from '../support/assets.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import type { Sender } from '../support/registry.js';

/** Instants in the registry's zone have a fixed width, so within one UTC offset they compare as text. */
export type Mirror = Map<string, string>;

/** Follows the listing as a mirror does, and notes whatever breaks its promise. */
export class Synchroniser {
  /** dateModified by id, as last seen. */
  readonly mirror: Mirror = new Map();
  readonly faults: string[] = [];
  private path: string;
  private last = '';

  constructor(
    private readonly registry: Sender,
    readonly limit: number,
  ) {
    this.path = `${ASSETS}?limit=${limit}`;
  }

  /** Reads pages until an empty one. @returns the number of pages */
  async sweep(): Promise<number> {
    for (let pages = 1; ; pages++) {
      const { status, json, text } = await retryUnavailable(() => this.registry.send(this.path));
      if (status !== 200) throw new Error(`The listing answered ${status}: ${text}`);
      for (const entry of json.data as { id: string; dateModified: string }[]) this.take(entry);
      if (json.data.length > this.limit) this.faults.push(`a page has more than ${this.limit} entries`);
      this.path = json.next_page.path;
      if (json.data.length === 0) return pages;
    }
  }

  private take({ id, dateModified }: { id: string; dateModified: string }): void {
    if (dateModified <= this.last) this.faults.push(`${dateModified} comes after ${this.last}`);
    this.last = dateModified;
    this.mirror.set(id, dateModified);
  }
}
