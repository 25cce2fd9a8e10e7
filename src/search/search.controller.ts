import { Controller, Get, Req } from '@nestjs/common';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { FacetCounts, IndexHit } from '../database/search/index-answers.js';
import { unavailable } from '../platform/errors/errors.js';
import { type Answer, StreamedAnswer, TaggedAnswer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { type Origin, Origins } from '../http/origins.js';
import type { RegistryRequest } from '../http/request.js';
import { prefers } from '../http/request-head.js';
import { MAX_CONCURRENT_WHOLE_PAGES, needsAssets, nextPage, entryPrinter } from '../listing/feed-pages.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetSearch, type SearchPage } from './asset-search.js';
import { CsvQueryPipe } from './csv-query.pipe.js';
import { FoundAssets } from './found-assets.js';
import { HitsAsCsv } from './hits-as-csv.js';
import type { FacetName } from './search-parameters.js';
import { printCursor } from './search-parameters.js';
import { SearchQueryPipe, type ParsedSearch } from './search-query.pipe.js';

/** The path answers JSON or CSV. */
const VARY = { Vary: 'Accept' };

/** The search as JSON, or as CSV by the Accept header. Source: contract section 11. */
@Controller(apiPaths('assets/search'))
export class SearchController {
  private readonly wholeAtOnce = new Semaphore(MAX_CONCURRENT_WHOLE_PAGES);

  constructor(
    private readonly search: AssetSearch,
    private readonly found: FoundAssets,
    private readonly origins: Origins,
    private readonly time: RegistryTime,
    private readonly queries: SearchQueryPipe,
    private readonly csvQueries: CsvQueryPipe,
    private readonly csv: HitsAsCsv,
  ) {}

  @Get()
  async list(@Req() request: RegistryRequest, @CalledBy() caller: Caller): Promise<Answer | StreamedAnswer> {
    const from = this.origins.of(request);
    if (!prefers('text/csv', request.headers.accept))
      return caller.beforeDeadline(this.page(this.queries.transform(from.query), from, caller));
    const asked = this.csvQueries.transform(from.query);
    const { status, stream, headers: sent } = await this.csv.answer(asked, caller, request);
    return new StreamedAnswer(status, stream, { ...sent, ...VARY });
  }

  private async page(sent: ParsedSearch, from: Origin, caller: Caller): Promise<Answer> {
    const page = await this.search.find(sent.query, sent.page, caller);
    if (page === undefined) throw unavailable('search_away');
    if (!needsAssets(sent.fields)) return this.print(sent, page, page.hits.map(withoutAsset), from);
    const entries = await this.wholeAtOnce.run(() => this.found.read(page.hits), caller);
    const last = page.hits.at(-1);
    if (entries.length > 0 || last === undefined) return this.print(sent, page, entries, from);
    // None of the hits can be read any longer: read the next page, because an empty page means the end.
    const after = { us: last.modifiedUs, amount: last.amount };
    return this.page({ ...sent, page: { ...sent.page, after } }, from, caller);
  }

  private print(sent: ParsedSearch, page: SearchPage, entries: readonly Entry[], from: Origin): Answer {
    const last = entries.at(-1)?.hit;
    const next = nextPage(from, last === undefined ? sent.offset : printCursor(last));
    const print = entryPrinter(sent.fields, this.time);
    const printed = entries.map(({ hit, asset }) => print({ ...hit, asset }));
    const head = EncodedText.from(
      Buffer.from(`{"next_page":${JSON.stringify(next)},${this.members(page, sent.facets)},"data":[`),
    );
    const text = EncodedText.join([head, EncodedText.join(printed, ','), ']}'], '');
    return new TaggedAnswer(text, { Link: `<${next.uri}>; rel="next"`, 'Feed-Epoch': page.epoch, ...VARY });
  }

  private members({ total, isTotalExact, indexedUs, facets }: SearchPage, names: readonly FacetName[]): string {
    const members = {
      total,
      total_is_exact: isTotalExact,
      indexed_up_to: this.time.print(Math.max(indexedUs, 0)),
      ...(facets && { facets: namedFacets(facets, names) }),
    };
    return JSON.stringify(members).slice(1, -1);
  }
}

interface Entry {
  hit: IndexHit;
  /** Undefined if no fields were requested. */
  asset: ReadAsset | undefined;
}

function withoutAsset(hit: IndexHit): { hit: IndexHit; asset: undefined } {
  return { hit, asset: undefined };
}

function namedFacets(facets: FacetCounts, names: readonly FacetName[]): object {
  return Object.fromEntries(names.map((name) => [name, Object.fromEntries(facets[name])]));
}
