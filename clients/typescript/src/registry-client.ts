import { randomUUID } from 'node:crypto';
import type { Asset, AssetInput, AssetPatch, TriedAsset, TriedNewAsset } from './asset-types.js';
import type {
  CallOptions,
  ChangeOptions,
  ClientOptions,
  Created,
  DryRun,
  MemberChange,
  Transfer,
  Tried,
  Versioned,
} from './calls.js';
import { Changes } from './changes.js';
import { Connection, type Sent } from './connection.js';
import { EndOfFeed } from './end-of-feed.js';
import { Conflict, Forbidden } from './errors.js';
import { type FeedOptions, followPages, type PageOptions, type PageSource } from './feed.js';
import { FilteredFeed, type FilteredPages } from './filtered-feed.js';
import { FurtherReads } from './further-reads.js';
import type { Entry, Page } from './page.js';
import { holds, repeatable } from './patch.js';
import {
  ASSETS,
  assetsOf,
  baseOf,
  etagOf,
  heldRequest,
  pageOf,
  pageRequest,
  pathOf,
  transferOf,
  triedOf,
  tryingOf,
  versioned,
  withToken,
} from './requests.js';
import {
  type FeedFilter,
  followSearch,
  type SearchOptions,
  SearchPage,
  type SearchPageOptions,
  searchQuery,
} from './search.js';

const AGENT = 'asset-registry-client/0.1.0';
const RETRIES = 10;

/**
 * One registry. Requests are repeated where the registry asks for it or the connection breaks, writes too: what was done is not done twice.
 * Every method throws RegistryError (by its subclasses) for a refusal, ConnectionFailed where no answer comes, and the signal's reason.
 */
export class RegistryClient extends FurtherReads {
  readonly #authorization: string | undefined;
  readonly #end: EndOfFeed;

  /**
   * @param url of the registry, such as `https://registry.example`; with or without `/api/0.1` and `/assets` behind it
   * @throws TypeError when it is no http(s) URL, or holds a user name
   */
  constructor(url: string, options: ClientOptions = {}) {
    const { key, signal, onWait = (): void => undefined, pollMs, retries = RETRIES, userAgent } = options;
    const connection = new Connection(baseOf(url), {
      retries,
      onWait,
      userAgent: userAgent === undefined ? AGENT : `${userAgent} ${AGENT}`,
    });
    super(connection, signal);
    this.#end = new EndOfFeed(
      {
        page: (wanted) => connection.read(pageRequest(wanted), pageOf),
        heldPage: (wanted, seconds) => connection.read(heldRequest(wanted, seconds), pageOf),
        pause: (wait, given) => connection.wait(wait, given),
        onWait,
      },
      pollMs,
    );
    this.#authorization = key === undefined ? undefined : `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  }

  /**
   * Creates a draft.
   * @param options.idempotencyKey makes the same call safe to repeat for 24 hours, also by another process; one is made unless given
   */
  create(data: AssetInput, options?: CallOptions & { idempotencyKey?: string }): Promise<Created>;
  /** Checks what would be created, and creates nothing: there is no id, no number and no token. @throws Forbidden @throws Invalid */
  create(data: AssetInput, options: CallOptions & DryRun): Promise<Tried<TriedNewAsset>>;
  async create(
    data: AssetInput,
    options: CallOptions & { idempotencyKey?: string; dryRun?: true } = {},
  ): Promise<Created | Tried<TriedNewAsset>> {
    const { idempotencyKey = randomUUID(), dryRun } = options;
    const sent: Sent = { method: 'POST', path: ASSETS, headers: this.write(), body: JSON.stringify({ data }) };
    if (dryRun) return { asset: triedOf(await this.exchange(tryingOf(sent), options)) };
    const headers = { ...sent.headers, 'idempotency-key': idempotencyKey };
    const reply = await this.exchange({ ...sent, headers }, options);
    return withToken(reply);
  }

  /**
   * Reads an asset. One that was read before and did not change is not sent again.
   * @param id of the asset; of a published one also its assetID, in capitals or small letters
   * @param options.at as it was at this instant, written as in `offset` of the feed
   * @throws NotFound, also where it was not public then
   */
  read(id: string, options?: CallOptions & { at?: string }): Promise<Versioned>;
  /** Reads an asset unless it still has this ETag: then `asset` is undefined. @throws NotFound */
  read(id: string, options: CallOptions & { ifNoneMatch: string }): Promise<Partial<Versioned> & { etag: string }>;
  async read(
    id: string,
    options: CallOptions & { at?: string; ifNoneMatch?: string } = {},
  ): Promise<Partial<Versioned>> {
    const { at, ifNoneMatch } = options;
    const query = at === undefined ? {} : { query: { at } };
    const condition = ifNoneMatch === undefined ? { isKept: true } : { headers: { 'if-none-match': ifNoneMatch } };
    const sent: Sent = { method: 'GET', path: pathOf(id), ...query, ...condition };
    return this.readAs(sent, (reply) => (reply.status === 304 ? { etag: etagOf(reply) } : versioned(reply)), options);
  }

  /**
   * Changes an asset as JSON Merge Patch does: `null` removes a field. A change whose answer is lost is sent again. If it
   * was made, and another undid it before the repeat, the repeat makes it once more. With `ifMatch` it does not: it
   * changes that version of the asset alone.
   * @throws Forbidden @throws Invalid @throws Conflict when `ifMatch` is given and the asset has another version
   */
  change(id: string, patch: AssetPatch, options?: ChangeOptions): Promise<Versioned>;
  /** Checks what would be changed, and changes nothing: the dates are those that the asset has. @throws as the change would */
  change(id: string, patch: AssetPatch, options: ChangeOptions & DryRun): Promise<Tried>;
  async change(
    id: string,
    patch: AssetPatch,
    options: ChangeOptions & { dryRun?: true } = {},
  ): Promise<Versioned | Tried> {
    const { token, ifMatch, dryRun } = options;
    const headers = this.write({ 'x-access-token': token, 'if-match': ifMatch });
    const data = dryRun ? patch : repeatable(patch);
    const sent: Sent = { method: 'PATCH', path: pathOf(id), headers, body: JSON.stringify({ data }) };
    if (dryRun) return { asset: triedOf(await this.exchange(tryingOf(sent), options)) };
    const repeats = this.connection.repeats(this.signalOf(options));
    try {
      return versioned(await this.exchange(sent, options, repeats));
    } catch (error) {
      if (!repeats.perhapsDone || !(error instanceof Forbidden || error instanceof Conflict)) throw error;
      return this.changedBefore(id, data, options, error);
    }
  }

  /**
   * Changes up to 500 assets as one, all or none; for a concierge or an administrator. A change whose answer is lost is sent again, as by
   * `change`: with `etag` each changes that version alone.
   * @returns the assets, in the order of `changes`
   * @throws Forbidden, Invalid, NotFound, Conflict whose `errors` name each asset in the way, by its place: `data.3.status`
   */
  changeMany(changes: readonly MemberChange[], options?: CallOptions): Promise<Asset[]>;
  /** Checks what would be changed, and changes nothing: the dates are those that the assets have. @throws as the change would */
  changeMany(changes: readonly MemberChange[], options: CallOptions & DryRun): Promise<TriedAsset[]>;
  async changeMany(
    changes: readonly MemberChange[],
    options: CallOptions & { dryRun?: true } = {},
  ): Promise<Asset[] | TriedAsset[]> {
    const { dryRun } = options;
    const data = changes.map(({ id, etag, ...patch }) => ({ id, etag, patch: dryRun ? patch : repeatable(patch) }));
    const body = JSON.stringify({ data: data.map(({ patch, ...named }) => ({ ...(patch as object), ...named })) });
    const sent: Sent = { method: 'PATCH', path: ASSETS, headers: this.write(), body };
    if (dryRun) return triedOf(await this.exchange(tryingOf(sent), options));
    const repeats = this.connection.repeats(this.signalOf(options));
    try {
      return assetsOf(await this.exchange(sent, options, repeats));
    } catch (error) {
      if (!repeats.perhapsDone || !(error instanceof Forbidden || error instanceof Conflict)) throw error;
      const now = await Promise.all(data.map(({ id, patch }) => this.changedBefore(id, patch, options, error)));
      return now.map(({ asset }) => asset);
    }
  }

  /** Publishes a draft: from now on it is listed. */
  publish(id: string, options: ChangeOptions): Promise<Versioned> {
    return this.change(id, { status: 'pending' }, options);
  }

  /** Withdraws a published asset for good. It stays readable and listed. */
  delete(id: string, options: ChangeOptions): Promise<Versioned> {
    return this.change(id, { status: 'deleted' }, options);
  }

  /**
   * Asks for a code with which another broker takes the asset over; an earlier one is refused from then on.
   * @param options.token the owner token; the administrator sends none
   * @throws Forbidden, also while the owner may not change the asset
   */
  async requestTransfer(id: string, options: CallOptions & { token?: string } = {}): Promise<Transfer> {
    const { token } = options;
    const headers = this.write({ 'x-access-token': token });
    const reply = await this.exchange({ method: 'POST', path: `${pathOf(id)}/transfer`, headers, body: '{}' }, options);
    return transferOf(reply);
  }

  /**
   * Makes an asset the own of this client's broker. The code and the old owner token are used up.
   * @param code that its owner, or the administrator, was given for it
   * @param options.idempotencyKey makes the same call safe to repeat for 24 hours, also by another process; one is made unless given
   * @throws Forbidden
   */
  async takeOver(id: string, code: string, options: CallOptions & { idempotencyKey?: string } = {}): Promise<Created> {
    const { idempotencyKey = randomUUID() } = options;
    const headers = this.write({ 'idempotency-key': idempotencyKey });
    const body = JSON.stringify({ access: { transfer: code } });
    return withToken(await this.exchange({ method: 'POST', path: `${pathOf(id)}/ownership`, headers, body }, options));
  }

  /** Reads one page of the listing. */
  page(options: PageOptions & CallOptions = {}): Promise<Page> {
    return this.readAs(pageRequest(options), pageOf, options);
  }

  /**
   * The page after an empty one, which may be empty too: as soon as something comes where the registry can say so, else after a pause.
   * @param options as of the empty one, with its `nextOffset`
   */
  pageAfterEnd(empty: Page, options: PageOptions & CallOptions): Promise<Page> {
    return this.#end.pageAfter(empty, { ...options, signal: this.signalOf(options) });
  }

  /** Whether changes come as they are made to whoever follows the feed to its end; undefined until that was tried. */
  get isLive(): boolean | undefined {
    return this.#end.isLive;
  }

  /**
   * The pages of the feed, the oldest change first, each while the next one is already asked for. Empty ones are left out.
   * @throws EpochChanged before anything of another history is handed out
   */
  pages(options: FeedOptions & CallOptions = {}): AsyncGenerator<Page, void, undefined> {
    return followPages(this.pageSource(options), { ...options, signal: this.signalOf(options) });
  }

  /**
   * The feed of the changes after which an asset fits, page by page: as `page` and `pageAfterEnd` read all changes. What ceases to fit is not
   * told. An `offset` is the `nextOffset` of the page before, or the `dateModified` of a change; the newest first it is not read.
   */
  filtered(filter: FeedFilter): FilteredPages {
    const feed = this.filteredFeed(filter);
    return {
      page: (options) => feed.page({ ...options, signal: this.signalOf(options) }),
      pageAfterEnd: (empty, options) => feed.pageAfter(empty, { ...options, signal: this.signalOf(options) }),
    };
  }

  private filteredFeed(filter: FeedFilter): FilteredFeed {
    return new FilteredFeed((sent, parse) => this.connection.read(sent, parse), this.#end, filter);
  }

  private pageSource({ filter }: FeedOptions): PageSource {
    const { connection } = this;
    if (filter !== undefined) return this.filteredFeed(filter);
    return {
      page: (wanted) => connection.read(pageRequest(wanted), pageOf),
      pageAfter: (empty, wanted) => this.#end.pageAfter(empty, wanted),
    };
  }

  /** The changes of the feed, with acknowledgement. @throws EpochChanged as `pages` */
  changes(options: FeedOptions & CallOptions = {}): Changes {
    const pagesFrom = (from: string): AsyncIterable<Page> => this.pages({ ...options, from });
    return new Changes(options.from ?? '', options.fields === '*', pagesFrom, this.signalOf(options));
  }

  /**
   * Everything that is found, entry by entry; pages are asked for as they are wanted. What is changed meanwhile may come twice or,
   * the newest first, not at all.
   * @throws Invalid for a search that is not understood @throws Unavailable where there is no search
   */
  search(options: SearchOptions & CallOptions & { fields: '*' }): AsyncGenerator<Asset, void, undefined>;
  search(options?: SearchOptions & CallOptions): AsyncGenerator<Entry, void, undefined>;
  search(options: SearchOptions & CallOptions = {}): AsyncGenerator<Entry, void, undefined> {
    return followSearch((wanted) => this.searchPage(wanted), options);
  }

  /** One page of what is found, with what is told of all: how many there are, and up to when changes are known. @throws as `search` */
  searchPage(options: SearchPageOptions & CallOptions & { fields: '*' }): Promise<SearchPage<Asset>>;
  searchPage(options?: SearchPageOptions & CallOptions): Promise<SearchPage>;
  async searchPage({ signal, ...asked }: SearchPageOptions & CallOptions = {}): Promise<SearchPage> {
    const sent: Sent = { method: 'GET', path: `${ASSETS}/search`, query: searchQuery(asked) };
    return this.readAs(sent, (reply) => new SearchPage(reply), signal === undefined ? {} : { signal });
  }

  /** Ends every connection; what is under way fails. */
  close(): Promise<void> {
    return this.connection.close();
  }

  /** A repeat was refused, perhaps because the first attempt had done it all: a deleted asset cannot be deleted. */
  private async changedBefore(id: string, patch: unknown, options: CallOptions, refusal: Error): Promise<Versioned> {
    const now = await this.read(id, options);
    if (holds(now.asset, patch)) return now;
    throw refusal;
  }

  private write(others: Record<string, string | undefined> = {}): Record<string, string> {
    const headers = { 'content-type': 'application/json', authorization: this.#authorization, ...others };
    return Object.fromEntries(Object.entries(headers).filter((one): one is [string, string] => one[1] !== undefined));
  }
}
