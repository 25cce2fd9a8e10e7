import { ASSETS } from '../support/assets.js';
import type { Random } from '../support/random.js';
import type { Client } from './client.js';
import { type Content, contentOf, instantUs, type ShownAsset } from './content.js';
import type { History } from './history.js';

/** An asset as the registry has it in the end. */
export interface FinalAsset {
  us: number;
  content: Content;
  assetID: string;
  /** Local day of `date`. */
  day: string;
  dateUs: number;
}

/** The registry when nothing is written any more. */
export interface FinalState {
  /** The whole listing, oldest change first, by asset. */
  listed: Map<number, FinalAsset>;
  /** Assets of the listing, oldest change first, and newest first. */
  ascending: number[];
  descending: number[];
  /** By asset: what GET by id answered, drafts too; undefined for 404. Of a large run a part. */
  details: Map<number, FinalAsset | undefined>;
  /** Followers that did not reach the end in time. */
  behind: string[];
  /** From the end of the last fault to the first acknowledged write; undefined when there was none. */
  firstWriteMs: number | undefined;
  /** For how long there may be no acknowledgement of a write at all. */
  allowedWriteGapMs: number;
}

const LIMIT = 500;
const MAX_DETAILS = 4_000;
const AT_ONCE = 8;

type Page = { data: ShownAsset[]; next_page: { path: string } };

/** Reads the whole registry, over any of its services. */
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

  private async walk(first: string, take: (asset: number, shown: ShownAsset) => void): Promise<number[]> {
    const order: number[] = [];
    for (let path = first; ;) {
      const page = JSON.parse(await this.get(path)) as Page;
      for (const shown of page.data) {
        const asset = this.history.assetOf(shown.id);
        order.push(asset);
        take(asset, shown);
      }
      if (page.data.length === 0) return order;
      if (page.next_page.path === path) {
        this.history.complain(`${path} leads to itself`);
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

  /** Tries again, as nothing harms the registry any more but what it may still be mending. */
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
