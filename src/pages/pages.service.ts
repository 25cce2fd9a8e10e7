import { Inject, Injectable, Optional } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { type Requester, Semaphore } from '../platform/concurrency/semaphore.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { ID } from '../feed/asset-identifiers.js';
import { PastStates } from '../feed/reading/past-states.js';
import { printAsset, redactedOf } from '../feed/reading/asset-view.js';
import { AssetsService } from '../assets/assets.service.js';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { VERSION } from '../platform/config/version.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { DisplayNames } from '../database/readers/display-names.js';
import { contentDigest } from '../http/encoding.js';
import type { Caller } from '../http/caller.js';
import { SingleFlights } from '../platform/concurrency/single-flight.js';
import { LogService } from '../log/log.service.js';
import { AssetSearch } from '../search/asset-search.js';
import { assetNotFound } from '../platform/errors/errors.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetViewModel } from './asset-view-model.js';
import { AssetPage } from './asset.page.js';
import { findLoweredPrice, readChanges } from './changed-values.js';
import { changeEntry, changesFeed } from './changes-feed.js';
import { historyPage, STATES_A_PAGE } from './history.page.js';
import { HomePage } from './home.page.js';
import { FilterChoices } from './filter-choices.js';
import { type ChangesPage, NewestChanges, WHOLE_FEED } from './newest-changes.js';
import type { FeedQuery, PageQuery } from './page-query.js';
import { RespelledLists } from './respelled-lists.js';
import { MAX_READ, chooseRuns } from './timeline.js';
import { ShownTimes } from './times.js';
import { summarizeConditions } from './condition-summary.js';
import { keyOf, type PageContext } from './page-context.js';

/** An instant in microseconds; the end of `day`, such as `2026-11-28`, if a day was requested. */
export interface Moment {
  us: number;
  day?: string;
}

/** `name`: an id or an assetID. */
interface AskedAsset {
  name: string;
  /** Undefined: the present state. */
  moment: Moment | undefined;
}

/** The states of an asset before an instant, or the newest ones. */
interface AskedHistory {
  name: string;
  beforeUs: number | undefined;
}

/** Pages rendered concurrently; a large asset needs some 10 MB to parse and print. */
const MAX_AT_ONCE = 4;
/** Atom feeds rendered concurrently; each reads some megabytes of assets. */
const MAX_FEEDS_AT_ONCE = 4;
/** Cost of a search after the first for the rate limits, in bytes of a printed answer. */
const BYTES_PER_SEARCH = 64 * 1024;

interface PrintedList {
  bytes: Buffer;
  /** Digest of the page without its time of rendering. */
  digest: string;
  /** Number of reads of the index. */
  searches: number;
}

interface PrintedFeed {
  etag: string;
  bytes: Buffer;
  /** Bytes of the assets that were read for the feed. */
  readBytes: number;
}

type PayingCaller = Pick<Caller, 'isGone' | 'chargeWork'>;

/** Reads data and renders pages. */
@Injectable()
export class PagesService {
  /** Concurrent requests for the same list share one rendering. */
  private readonly shared = new SingleFlights<PrintedList>();
  private readonly sharedFeeds = new SingleFlights<PrintedFeed>();
  private readonly pagesAtOnce = new Semaphore(MAX_AT_ONCE);
  private readonly feedsAtOnce = new Semaphore(MAX_FEEDS_AT_ONCE);
  private readonly homePage: HomePage;
  private readonly assetPage: AssetPage;
  private readonly choices: FilterChoices;

  constructor(
    private readonly lists: RespelledLists,
    private readonly changes: NewestChanges,
    private readonly search: AssetSearch,
    private readonly assets: AssetsService,
    private readonly histories: AssetHistory,
    private readonly types: AssetTypes,
    private readonly time: RegistryTime,
    private readonly times: ShownTimes,
    private readonly displayNames: DisplayNames,
    @Inject(CONFIG) private readonly config: Config,
    @Optional() private readonly log?: LogService,
  ) {
    this.homePage = new HomePage(types, times, config.demoKeys);
    this.assetPage = new AssetPage(times, config);
    this.choices = new FilterChoices(types);
  }

  /** @throws ApiError 503 */
  async home(query: PageQuery, context: PageContext, caller: PayingCaller): Promise<PrintedList> {
    const show = (all: Requester) => this.pagesAtOnce.run(() => this.showHome(query, context, all), all);
    const list = await this.shared.read(keyOf(context), show, caller);
    caller.chargeWork(Math.max(list.searches - 1, 0) * BYTES_PER_SEARCH);
    return list;
  }

  private async showHome(query: PageQuery, context: PageContext, all: Requester): Promise<PrintedList> {
    let searches = 0;
    const searcher = { isGone: () => all.isGone(), noteSearch: () => searches++ };
    const [page, offered] = await Promise.all([this.lists.page(query, context, searcher), this.search.choices()]);
    const shown = this.homePage.show(page.respelled ?? query, page, offered, context);
    const moment = page.asOfUs === undefined ? '' : this.times.brief(page.asOfUs, context.language).text;
    return { bytes: Buffer.from(shown), digest: contentDigest(Buffer.from(withoutLast(shown, moment))), searches };
  }

  /** @throws ApiError 404 */
  asset(asked: AskedAsset, context: PageContext, caller: PayingCaller): Promise<Buffer> {
    return this.pagesAtOnce.run(async () => Buffer.from(await this.showAsset(asked, context, caller)), caller);
  }

  private async showAsset({ name, moment }: AskedAsset, context: PageContext, caller: PayingCaller): Promise<string> {
    const now = await this.find(name);
    const asset = moment === undefined ? now : await this.histories.at(now.id, moment.us, caller);
    // The page is small, so the cost of the asset is charged here.
    caller.chargeWork(asset.body.length);
    const page = new AssetViewModel(asset, this.types);
    const json = printAsset(asset, this.time).toString();
    const brokerName = await this.displayNames.find(asset.owner);
    const log = this.log && { place: await this.log.placeOf(asset.modifiedUs) };
    const shown = { page, brokerName, json, log };
    if (moment !== undefined) {
      caller.chargeWork(now.body.length);
      const past = { now: new AssetViewModel(now, this.types), day: moment.day };
      return this.assetPage.show({ ...shown, past }, context);
    }
    const history = await this.histories.list(asset.id, { ...WHOLE_FEED, limit: MAX_READ + 1 });
    if (history.length === 0)
      return this.assetPage.show({ page, brokerName, json, history, changes: new Map() }, context);
    const states = new PastStates(page, history, this.histories);
    const changes = await readChanges(states, chooseRuns(history, redactedOf(page.values).length === 0));
    const lowered = await findLoweredPrice(page, states);
    const oldest = { ...WHOLE_FEED, newestFirst: false, limit: 1 };
    const [first] = history.length > MAX_READ ? await this.histories.list(asset.id, oldest) : [];
    return this.assetPage.show({ ...shown, history, changes, lowered, first }, context);
  }

  /** The states of an asset before an instant. @throws ApiError 404, also for a draft, 503 */
  history(asked: AskedHistory, context: PageContext, caller: PayingCaller): Promise<Buffer> {
    return this.pagesAtOnce.run(async () => Buffer.from(await this.showHistory(asked, context, caller)), caller);
  }

  private async showHistory(
    { name, beforeUs = WHOLE_FEED.beforeUs }: AskedHistory,
    context: PageContext,
    caller: PayingCaller,
  ): Promise<string> {
    const now = await this.find(name);
    caller.chargeWork(now.body.length);
    const page = new AssetViewModel(now, this.types);
    if (page.state?.listed === false) throw assetNotFound('a draft has no public history');
    const history = await this.histories.list(now.id, { ...WHOLE_FEED, beforeUs, limit: STATES_A_PAGE + 1 });
    const shown = history.slice(0, STATES_A_PAGE).map((_, index) => ({ newest: index, oldest: index }));
    const changes = await readChanges(new PastStates(page, history, this.histories), shown, STATES_A_PAGE);
    return historyPage({ page, history, changes, hasNewer: beforeUs <= now.modifiedUs }, context, this.times);
  }

  private find(name: string): Promise<ReadAsset> {
    return ID.test(name) ? this.assets.get(name) : this.assets.getListed(name);
  }

  /** The present entity tag of the Atom feed, computed from its newest changes. @throws ApiError 503 */
  async changesTag(query: FeedQuery, context: PageContext, caller: Requester): Promise<string> {
    return this.tagOf(await this.changes.newest(query, caller), context);
  }

  /** The newest changes as an Atom feed. @throws ApiError 503 */
  async changesFeed(query: FeedQuery, context: PageContext, caller: PayingCaller): Promise<PrintedFeed> {
    const show = (all: Requester) => this.feedsAtOnce.run(() => this.showChanges(query, context, all), all);
    const feed = await this.sharedFeeds.read(keyOf(context), show, caller);
    caller.chargeWork(feed.readBytes);
    return feed;
  }

  private async showChanges(query: FeedQuery, context: PageContext, all: Requester): Promise<PrintedFeed> {
    const page = await this.changes.newest(query, all);
    const { changes, next } = page;
    const { shown, readBytes } = await this.changes.show(changes);
    const entries = shown.map((change) => changeEntry(change, context, this.times));
    const { conditions } = query;
    const summary = summarizeConditions(conditions, this.choices, context);
    const updatedUs = changes[0]?.modifiedUs ?? 0;
    const subject = { conditions, summary, updatedUs, registry: this.config.assetIdPrefix, next };
    const feed = changesFeed(entries, subject, context, this.times);
    return { etag: this.tagOf(page, context), bytes: Buffer.from(feed), readBytes };
  }

  /** Covers everything that the feed is printed from, so that it need not be printed to answer that it is unchanged. */
  private tagOf({ changes, next }: ChangesPage, context: PageContext): string {
    const instants = changes.map(({ modifiedUs }) => modifiedUs);
    return `"${contentDigest(JSON.stringify([VERSION, this.times.timeZone, keyOf(context), instants, next]))}"`;
  }
}

/** The time of rendering is below the list, whose assets may show the same minute. */
function withoutLast(shown: string, moment: string): string {
  const at = shown.lastIndexOf(moment);
  return at < 0 ? shown : shown.slice(0, at) + shown.slice(at + moment.length);
}
