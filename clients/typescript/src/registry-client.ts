import { randomUUID } from 'node:crypto';
import type { Asset, AssetInput, AssetPatch, DryRunAsset, DryRunNewAsset } from './asset-types.js';
import type {
  CallOptions,
  ChangeOptions,
  ClientOptions,
  Created,
  DryRun,
  MemberChange,
  Transfer,
  DryRunResult,
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
import { isPatched, repeatable } from './patch.js';
import {
  ASSETS,
  assetsOf,
  baseOf,
  etagOf,
  longPollRequest,
  pageOf,
  pageRequest,
  pathOf,
  transferOf,
  dryRunResult,
  dryRunOf,
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
 * A client of one registry. Requests are retried if the registry asks for it or the connection breaks; writes too, without being made twice. Every
 * method throws RegistryError (or a subclass) for a refusal, ConnectionFailed without an answer, and the signal's reason.
 */
export class RegistryClient extends FurtherReads {
  readonly #authorization: string | undefined;
  readonly #end: EndOfFeed;

  /**
   * @param url of the registry, such as `https://registry.example`; `/api/0.1` and `/assets` after it are ignored
   * @throws TypeError if it is not an http(s) URL, or contains a user name
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
        longPoll: (wanted, seconds) => connection.read(longPollRequest(wanted, seconds), pageOf),
        pause: (wait, given) => connection.wait(wait, given),
        onWait,
      },
      pollMs,
    );
    this.#authorization = key === undefined ? undefined : `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  }

  /**
   * Creates a draft.
   * @param options.idempotencyKey makes the call repeatable for 24 hours, also by another process; random by default
   */
  create(data: AssetInput, options?: CallOptions & { idempotencyKey?: string }): Promise<Created>;
  /** Dry run of `create`: checks the asset, which gets no id, number or token. @throws Forbidden @throws Invalid */
  create(data: AssetInput, options: CallOptions & DryRun): Promise<DryRunResult<DryRunNewAsset>>;
  async create(
    data: AssetInput,
    options: CallOptions & { idempotencyKey?: string; dryRun?: true } = {},
  ): Promise<Created | DryRunResult<DryRunNewAsset>> {
    const { idempotencyKey = randomUUID(), dryRun } = options;
    const sent: Sent = { method: 'POST', path: ASSETS, headers: this.write(), body: JSON.stringify({ data }) };
    if (dryRun) return { asset: dryRunResult(await this.exchange(dryRunOf(sent), options)) };
    const headers = { ...sent.headers, 'idempotency-key': idempotencyKey };
    const reply = await this.exchange({ ...sent, headers }, options);
    return withToken(reply);
  }

  /**
   * Reads an asset, from the cache if it has not changed.
   * @param id of the asset; if published, also its assetID in any case
   * @param options.at returns the asset as of this instant, in the format of `offset`
   * @throws NotFound, also if the asset was not public then
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
    const condition = ifNoneMatch === undefined ? { isCached: true } : { headers: { 'if-none-match': ifNoneMatch } };
    const sent: Sent = { method: 'GET', path: pathOf(id), ...query, ...condition };
    return this.readAs(sent, (reply) => (reply.status === 304 ? { etag: etagOf(reply) } : versioned(reply)), options);
  }

  /**
   * Changes an asset by JSON Merge Patch: `null` removes a field. A change whose answer was lost is sent again. If it had been made, and another
   * client undid it meanwhile, it is made twice; `ifMatch` prevents that.
   * @throws Forbidden @throws Invalid @throws Conflict if the asset has another version than `ifMatch`
   */
  change(id: string, patch: AssetPatch, options?: ChangeOptions): Promise<Versioned>;
  /** Dry run of `change`: the dates are the asset's current ones. @throws as the change would */
  change(id: string, patch: AssetPatch, options: ChangeOptions & DryRun): Promise<DryRunResult>;
  async change(
    id: string,
    patch: AssetPatch,
    options: ChangeOptions & { dryRun?: true } = {},
  ): Promise<Versioned | DryRunResult> {
    const { token, ifMatch, dryRun } = options;
    const headers = this.write({ 'x-access-token': token, 'if-match': ifMatch });
    const data = dryRun ? patch : repeatable(patch);
    const sent: Sent = { method: 'PATCH', path: pathOf(id), headers, body: JSON.stringify({ data }) };
    if (dryRun) return { asset: dryRunResult(await this.exchange(dryRunOf(sent), options)) };
    const retryPolicy = this.connection.retryPolicy(this.signalOf(options));
    try {
      return versioned(await this.exchange(sent, options, retryPolicy));
    } catch (error) {
      if (!retryPolicy.mayHaveExecuted || !(error instanceof Forbidden || error instanceof Conflict)) throw error;
      return this.changedBefore(id, data, options, error);
    }
  }

  /**
   * Changes up to 500 assets atomically; for a concierge or an administrator. A change whose answer was lost is sent again, as in `change`; `etag`
   * works like `ifMatch`.
   * @returns the assets, in the order of `changes`
   * @throws Forbidden, Invalid, NotFound, Conflict, whose `errors` name each faulty asset by index: `data.3.status`
   */
  changeMany(changes: readonly MemberChange[], options?: CallOptions): Promise<Asset[]>;
  /** Dry run of `changeMany`: the dates are the assets' current ones. @throws as the change would */
  changeMany(changes: readonly MemberChange[], options: CallOptions & DryRun): Promise<DryRunAsset[]>;
  async changeMany(
    changes: readonly MemberChange[],
    options: CallOptions & { dryRun?: true } = {},
  ): Promise<Asset[] | DryRunAsset[]> {
    const { dryRun } = options;
    const data = changes.map(({ id, etag, ...patch }) => ({ id, etag, patch: dryRun ? patch : repeatable(patch) }));
    const body = JSON.stringify({ data: data.map(({ patch, ...named }) => ({ ...(patch as object), ...named })) });
    const sent: Sent = { method: 'PATCH', path: ASSETS, headers: this.write(), body };
    if (dryRun) return dryRunResult(await this.exchange(dryRunOf(sent), options));
    const retryPolicy = this.connection.retryPolicy(this.signalOf(options));
    try {
      return assetsOf(await this.exchange(sent, options, retryPolicy));
    } catch (error) {
      if (!retryPolicy.mayHaveExecuted || !(error instanceof Forbidden || error instanceof Conflict)) throw error;
      const now = await Promise.all(data.map(({ id, patch }) => this.changedBefore(id, patch, options, error)));
      return now.map(({ asset }) => asset);
    }
  }

  /** Publishes a draft, so that it is listed. */
  publish(id: string, options: ChangeOptions): Promise<Versioned> {
    return this.change(id, { status: 'pending' }, options);
  }

  /** Withdraws a published asset permanently. It stays readable and listed. */
  delete(id: string, options: ChangeOptions): Promise<Versioned> {
    return this.change(id, { status: 'deleted' }, options);
  }

  /**
   * Requests a code with which another broker takes the asset over; it invalidates an earlier code.
   * @param options.token the owner token; the administrator sends none
   * @throws Forbidden, also if the owner may not change the asset at present
   */
  async requestTransfer(id: string, options: CallOptions & { token?: string } = {}): Promise<Transfer> {
    const { token } = options;
    const headers = this.write({ 'x-access-token': token });
    const reply = await this.exchange({ method: 'POST', path: `${pathOf(id)}/transfer`, headers, body: '{}' }, options);
    return transferOf(reply);
  }

  /**
   * Transfers an asset to this client's broker. The code and the old owner token become invalid.
   * @param code from the asset's owner or the administrator
   * @param options.idempotencyKey makes the call repeatable for 24 hours, also by another process; random by default
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
   * Waits at the end of the feed for the page after an empty one: by a long poll if the registry supports it, else by a pause. It may be empty too.
   * @param options those of the empty page, with its `nextOffset`
   */
  pageAfterEnd(empty: Page, options: PageOptions & CallOptions): Promise<Page> {
    return this.#end.pageAfter(empty, { ...options, signal: this.signalOf(options) });
  }

  /** Whether followers of the feed get changes immediately; undefined until the first attempt. */
  get isLive(): boolean | undefined {
    return this.#end.isLive;
  }

  /**
   * The non-empty pages of the feed, oldest change first; the next page is prefetched.
   * @throws EpochChanged before it yields an entry of another history
   */
  pages(options: FeedOptions & CallOptions = {}): AsyncGenerator<Page, void, undefined> {
    return followPages(this.pageSource(options), { ...options, signal: this.signalOf(options) });
  }

  /**
   * The feed of the changes after which an asset matches, with `page` and `pageAfterEnd` like those of all changes. Assets that stop matching are
   * not reported. An `offset` is the `nextOffset` of the previous page, or the `dateModified` of a change; `descending` is not supported.
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
   * All hits, entry by entry; pages are requested on demand. Assets that change meanwhile may occur twice or, newest first, be missing.
   * @throws Invalid for an invalid search @throws Unavailable if the registry's search is off
   */
  search(options: SearchOptions & CallOptions & { fields: '*' }): AsyncGenerator<Asset, void, undefined>;
  search(options?: SearchOptions & CallOptions): AsyncGenerator<Entry, void, undefined>;
  search(options: SearchOptions & CallOptions = {}): AsyncGenerator<Entry, void, undefined> {
    return followSearch((wanted) => this.searchPage(wanted), options);
  }

  /** One page of hits, with figures about all hits: their number, and how far the index has followed the feed. @throws as `search` */
  searchPage(options: SearchPageOptions & CallOptions & { fields: '*' }): Promise<SearchPage<Asset>>;
  searchPage(options?: SearchPageOptions & CallOptions): Promise<SearchPage>;
  async searchPage({ signal, ...search }: SearchPageOptions & CallOptions = {}): Promise<SearchPage> {
    const sent: Sent = { method: 'GET', path: `${ASSETS}/search`, query: searchQuery(search) };
    return this.readAs(sent, (reply) => new SearchPage(reply), signal === undefined ? {} : { signal });
  }

  /** Closes every connection; requests in progress fail. */
  close(): Promise<void> {
    return this.connection.close();
  }

  /** Returns the asset if an earlier attempt made the change, which is why the retry was refused. @throws the refusal otherwise */
  private async changedBefore(id: string, patch: unknown, options: CallOptions, refusal: Error): Promise<Versioned> {
    const now = await this.read(id, options);
    if (isPatched(now.asset, patch)) return now;
    throw refusal;
  }

  private write(others: Record<string, string | undefined> = {}): Record<string, string> {
    const headers = { 'content-type': 'application/json', authorization: this.#authorization, ...others };
    return Object.fromEntries(Object.entries(headers).filter((one): one is [string, string] => one[1] !== undefined));
  }
}
