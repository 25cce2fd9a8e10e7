import { setTimeout as sleep } from 'node:timers/promises';
import { ASSETS } from '../support/assets.js';
import type { Random } from '../support/random.js';
import type { Client } from './client.js';
import { instantUs } from './content.js';
import type { GroupLinks, ShownLink } from './group-links.js';

/** An asset, or a state of one, as it is listed with its lot. */
export interface Shown {
  id: string;
  dateModified: string;
  relatedLot?: string;
}

interface Page {
  data: Shown[];
  next_page: { path: string };
}

const REST_MS = 40;
const LIMIT = 1_000;
const AT_ONCE = 8;

/** The assets that groups are made of, all of them on one page of the listing. */
export class Pool {
  private readonly places: ReadonlyMap<string, number>;

  constructor(
    readonly ids: readonly string[],
    readonly client: Client,
    private readonly random: Random,
  ) {
    this.places = new Map(ids.map((id, place) => [id, place]));
  }

  linkOf(shown: Shown): ShownLink {
    const { id, dateModified, relatedLot = '0' } = shown;
    return { place: this.places.get(id) ?? -1, us: instantUs(dateModified), lot: Number.parseInt(relatedLot, 16) };
  }

  /** Asks any service until one answers. */
  async read(path: string): Promise<Page> {
    for (;;) {
      const { status, text } = await this.client.send(this.node(), path);
      if (status === 200) return JSON.parse(text) as Page;
      await sleep(REST_MS);
    }
  }

  node(): number {
    return this.random.int(0, this.client.urls.length - 1);
  }
}

/** Reads all assets of the pool on one page, which is one moment. */
export async function lookAtAll(pool: Pool, links: GroupLinks): Promise<void> {
  const { data } = await pool.read(`${ASSETS}?limit=${LIMIT}&descending=1&opt_fields=relatedLot`);
  if (data.length !== pool.ids.length) links.broken(`a page shows ${data.length} of ${pool.ids.length} assets`);
  const known: ShownLink[] = [];
  for (const link of data.map((shown) => pool.linkOf(shown))) known[link.place] = link;
  links.checkMoment('a whole page', known);
}

/** Follows the listing page by page, as a copy does. */
export class Copy {
  private readonly known: ShownLink[] = [];
  private path: string;

  constructor(
    private readonly pool: Pool,
    private readonly links: GroupLinks,
    limit: number,
  ) {
    this.path = `${ASSETS}?limit=${limit}&opt_fields=relatedLot`;
  }

  /** Reads one page. @returns whether it was the empty one, at which the copy is as the registry was at one moment */
  async follow(): Promise<boolean> {
    const { data, next_page: next } = await this.pool.read(this.path);
    this.path = next.path;
    for (const link of data.map((shown) => this.pool.linkOf(shown))) this.known[link.place] = link;
    if (data.length === 0) this.links.checkMoment('a copy', this.known);
    return data.length === 0;
  }

  /** @param latest of the histories, by the places of the assets */
  compare(latest: readonly (ShownLink | undefined)[]): void {
    for (const [place, link] of latest.entries()) {
      const own = this.known[place];
      if (own?.us !== link?.us || own?.lot !== link?.lot)
        this.links.broken(`a copy missed asset ${place} at ${link?.us}: it has ${own?.us}`);
    }
  }
}

/** What the histories of all assets have, each state read once. */
export class Histories {
  /** The newest state of each asset. */
  readonly latest: ShownLink[] = [];
  private readonly paths: string[];

  constructor(
    private readonly pool: Pool,
    private readonly links: GroupLinks,
  ) {
    this.paths = pool.ids.map((id) => `${ASSETS}/${id}/history?limit=${LIMIT}`);
  }

  /** Reads what was written since the last time. */
  async readOn(): Promise<void> {
    const places = [...this.pool.ids.keys()];
    const readers = Array.from({ length: AT_ONCE }, async () => {
      for (let place = places.pop(); place !== undefined; place = places.pop()) await this.readOne(place);
    });
    await Promise.all(readers);
  }

  private async readOne(place: number): Promise<void> {
    const id = this.pool.ids[place] as string;
    for (;;) {
      const { data, next_page: next } = await this.pool.read(this.paths[place] as string);
      if (data.length === 0) return;
      this.paths[place] = next.path;
      const states = data.map((state) => this.pool.linkOf({ ...state, id }));
      this.links.keep(states);
      this.latest[place] = states.at(-1) as ShownLink;
    }
  }
}
