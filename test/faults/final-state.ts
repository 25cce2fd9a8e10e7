import { ASSETS } from '../support/assets.js';
import type { Random } from '../support/random.js';
import type { Client } from './client.js';
import { type Content, contentOf, instantUs, type ShownAsset } from './content.js';
import type { History } from './history.js';

/** An asset in the registry's final state. */
export interface FinalAsset {
  us: number;
  content: Content;
  assetID: string;
  /** Local day of `date`. */
  day: string;
  dateUs: number;
}

/** The registry after all writing has ended. */
export interface FinalState {
  /** The whole listing, oldest change first, by asset. */
  listed: Map<number, FinalAsset>;
  /** Assets of the listing, oldest change first, and newest first. */
  ascending: number[];
  descending: number[];
  /** By asset: the answer of GET by id, including drafts; undefined for 404. A sample if the run is large. */
  details: Map<number, FinalAsset | undefined>;
  /** Names of followers that did not reach the end in time. */
  behind: string[];
  /** Time from the end of the last fault to the first acknowledged write; undefined if none was acknowledged. */
  firstWriteMs: number | undefined;
  /** Maximum time without an acknowledged write. */
  allowedWriteGapMs: number;
}

const LIMIT = 500;
const MAX_DETAILS = 4_000;
const AT_ONCE = 8;

type Page = { data: ShownAsset[]; next_page: { path: string } };

/** Reads the whole registry, from any of its services. */
export class FinalReader {
  constructor(
    private readonly client: Client,
    private readonly history: History,
    private readonly random: Random,
  ) {}

  async read(): Promise<Pick<FinalState, 'listed' | 'ascending' | 'descending' | 'details'>> {
    const listed = new Map<number, FinalAsset>();
    const ascending = await this.walk(`${ASSETS}?limit=${LIMIT}&opt_fields=*`, (asset, shown) => {
      listed.set(asset, finalOf(shown));
    });
    const descending = await this.walk(`${ASSETS}?limit=${LIMIT}&descending=1`, () => undefined);
    const details = await this.readDetails();
    return { listed, ascending, descending, details };
  }

  private async walk(first: string, visit: (asset: number, shown: ShownAsset) => void): Promise<number[]> {
    const order: number[] = [];
    for (let path = first; ;) {
      const page = JSON.parse(await this.get(path)) as Page;
      for (const shown of page.data) {
        const asset = this.history.assetOf(shown.id);
        order.push(asset);
        visit(asset, shown);
      }
      if (page.data.length === 0) return order;
      if (page.next_page.path === path) {
        this.history.complain(`${path} links to itself`);
        return order;
      }
      path = page.next_page.path;
    }
  }

  private async readDetails(): Promise<Map<number, FinalAsset | undefined>> {
    const { ids } = this.history;
    const share = MAX_DETAILS / ids.length;
    const chosen = ids.map((id, asset) => ({ id, asset })).filter(() => this.random.chance(share));
    const details = new Map<number, FinalAsset | undefined>();
    const readers = Array.from({ length: AT_ONCE }, async () => {
      for (let next = chosen.pop(); next !== undefined; next = chosen.pop()) {
        const text = await this.get(`${ASSETS}/${next.id}`);
        const { data } = JSON.parse(text) as { data?: ShownAsset };
        details.set(next.asset, data === undefined ? undefined : finalOf(data));
      }
    });
    await Promise.all(readers);
    return details;
  }

  /** Retries, because the faults have ended but the registry may still be recovering. */
  private async get(path: string): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.client.send(this.random.int(0, this.client.urls.length - 1), path);
      if (answer.status === 200 || answer.status === 404) return answer.text;
      if (attempt === 5) throw new Error(`${path} was answered ${answer.status} in the end: ${answer.text}`);
    }
  }
}

function finalOf(shown: ShownAsset): FinalAsset {
  return {
    us: instantUs(shown.dateModified),
    content: contentOf(shown),
    assetID: shown.assetID,
    day: shown.date.slice(0, 10),
    dateUs: instantUs(shown.date),
  };
}
