import type { AssetTypes } from '../asset-types/asset-types.js';
import { SORTS } from '../search/search-parameters.js';
import { catalogData } from './catalog-data.js';
import { chipLinks } from './chips.js';
import { FacetLinks } from './facet-links.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { type Count, printCount, type ShownCounts } from './list-counts.js';
import {
  linkToApi,
  linkToFeed,
  linkToList,
  linkToPage,
  linkToStatistics,
  remaining,
  searchConditions,
  without,
} from './list-links.js';
import { FilterChoices } from './filter-choices.js';
import { type OtherPrices, showOtherPrices } from './other-prices.js';
import { AVAILABLE_NOW, type PageQuery } from './page-query.js';
import { shortened } from './byte-budget.js';
import { type Offered, SearchForm } from './search-form.js';
import { emptyRegistry, noHits } from './nothing-found.js';
import { TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import { summarizeConditions } from './condition-summary.js';
import { linkTo, type PageContext } from './page-context.js';

export interface ListPage {
  /** The query with Ukrainian words instead of the Latin letters that were sent, if that one was searched. */
  respelled?: PageQuery;
  items: readonly Html[];
  /** Cursors of the neighbouring pages, if any. */
  newer: string | undefined;
  older: string | undefined;
  /** The list has all changes up to this instant, in microseconds; undefined if the index is empty. */
  asOfUs: number | undefined;
  /** The search index is still being built. */
  isPartial: boolean;
  /** The partial index has all changes since this instant, in microseconds; -1 if it is empty. */
  partialSinceUs: number;
  /** Undefined if the list is the plain feed. */
  counts: ShownCounts | undefined;
  otherPrices: OtherPrices | undefined;
}

const MAX_TITLE_BYTES = 400;
const NOTHING_WRONG: ReadonlyMap<string, string> = new Map();

/** The first page: what is available now, and the search. */
export class HomePage {
  private readonly choices: FilterChoices;
  private readonly form: SearchForm;
  private readonly facets: FacetLinks;

  /** @param canTry whether the demo keys work, so that an empty registry shows how to create an asset */
  constructor(
    types: AssetTypes,
    private readonly times: ShownTimes,
    private readonly canTry: boolean,
  ) {
    this.choices = new FilterChoices(types);
    this.form = new SearchForm(this.choices);
    this.facets = new FacetLinks(this.choices);
  }

  show(query: PageQuery, page: ListPage, offered: Offered, context: PageContext): string {
    const texts = TEXTS[context.language];
    const { counts } = page;
    const { heading, title } = this.namesOf(query, page, context);
    const isFirst = query.isPreset && query.after === undefined;
    const main = html`<h1>${heading}</h1>
      ${isFirst && context.hasSearch && html`<p>${texts.lead}</p>`}
      ${!context.hasSearch && query.isSearch && html`<p role="status" class="banner">${texts.searchOff}</p>`}
      ${respelledBanner(query, context)}
      ${page.isPartial && html`<p role="status" class="banner">${texts.indexing}${page.partialSinceUs >= 0 && html` ${texts.indexedSince} ${this.times.brief(page.partialSinceUs, context.language)}.`}</p>`}
      ${context.hasSearch ? html`<div class="sides">${this.search(query, counts, offered, context)} ${this.results(query, page, context)}</div>` : this.results(query, page, context)}`;
    const head = isFirst ? catalogData(context) : undefined;
    const address = isFirst ? '/' : undefined;
    const feed = query.isSearch ? linkToFeed(context, searchConditions(query)) : undefined;
    return layout(context, { title, description: texts.tagline, address, head, main, feed });
  }

  private search(query: PageQuery, counts: ShownCounts | undefined, offered: Offered, context: PageContext): Html {
    const facets = counts && this.facets.show(query, counts, context);
    return this.form.show({ query, conditions: query.conditions, offered, facets }, NOTHING_WRONG, context);
  }

  private results(query: PageQuery, page: ListPage, context: PageContext): Html {
    const texts = TEXTS[context.language];
    const { counts, items, asOfUs } = page;
    return html`<section id="results" aria-label="${texts.assets}">
      ${counts && chipLinks(query, this.choices, context)} ${counts && this.numbers(query, counts, context)}
      ${page.otherPrices && showOtherPrices(page.otherPrices, query.conditions, context)}
      ${
        items.length > 0
          ? html`<ol id="assets">
              ${items}
            </ol>`
          : this.nothing(query, page, context)
      }
      ${pager(query, page, context)}
      ${asOfUs !== undefined && html`<p class="note">${texts.asOf} ${this.times.brief(asOfUs, context.language)} (${this.times.timeZone})</p>`}
      ${counts && asData(query, context)}
    </section>`;
  }

  private namesOf(
    query: PageQuery,
    { counts }: ListPage,
    context: PageContext,
  ): Record<'heading' | 'title', string | Html> {
    const texts = TEXTS[context.language];
    if (query.isSearch) {
      const searched = summarizeConditions(without(query.conditions, 'sort'), this.choices, context);
      return { heading: texts.searchResults, title: shortened(searched, MAX_TITLE_BYTES) };
    }
    const all = query.after === undefined ? texts.everything : texts.newestChanges;
    const heading = counts === undefined ? texts.newestChanges : query.isPreset ? texts.availableNow : all;
    const isFirst = query.after === undefined && (query.isPreset || counts === undefined);
    return { heading, title: isFirst ? texts.registry : heading };
  }

  /** Counts with links between available assets and all, the spreadsheet and the order. */
  private numbers(shown: PageQuery, counts: ShownCounts, context: PageContext): Html {
    const texts = TEXTS[context.language];
    const { conditions, query, isAvailable } = shown;
    const others = without(conditions, 'status');
    const available = linkToList(context, [...others, { name: 'status', value: AVAILABLE_NOW }]);
    const choice = (href: string, text: string, count: Count, isShown: boolean): Html =>
      html`<a rel="nofollow" href="${href}" ${isShown && html` aria-current="true"`}
        >${text}: ${printCount(count, context)}</a
      >`;
    return html`<nav id="offers" aria-label="${texts.shown}">
        ${choice(available, texts.availableNow, counts.available, isAvailable)}
        ${choice(linkToList(context, others), texts.everything, counts.everything, query.status.length === 0)}
      </nav>
      <div id="head">
        <p role="status" id="hits">${texts.hits}: ${printCount(counts.hits, context)}</p>
        ${counts.hits.count > 0 && html`<a rel="nofollow" href="${linkToApi(context, '.xlsx', searchConditions(shown))}">${texts.xlsx}</a>`}
        <a rel="nofollow" href="${linkToStatistics(context, shown)}">${texts.ofList}</a>
        ${counts.hits.count > 1 && sortLinks(shown, context)}
      </div>`;
  }

  private nothing(query: PageQuery, { counts, isPartial }: ListPage, context: PageContext): Html | false {
    const texts = TEXTS[context.language];
    // The banner about the missing search says why.
    if (query.isSearch && counts === undefined) return false;
    if (query.after !== undefined && query.isBack)
      return html`<p class="nothing">${texts.nothingNewer} <a href="${linkTo(context, '/')}">${texts.toStart}</a></p>`;
    if (query.after !== undefined) return html`<p class="nothing">${texts.nothingFurther}</p>`;
    if (query.isSearch && counts !== undefined) return noHits(query, counts, this.choices, context);
    if (counts !== undefined && counts.everything.count > 0)
      return html`<p class="nothing">${texts.nothingAvailable}</p>`;
    // An incomplete index cannot say that the registry is empty.
    if (isPartial) return false;
    return this.canTry ? emptyRegistry(context) : html`<p class="nothing">${texts.empty}</p>`;
  }
}

/** Names the Ukrainian words that were searched instead of those in Latin letters. */
function respelledBanner({ typed, query }: PageQuery, { language }: PageContext): Html | false {
  if (typed === undefined) return false;
  const { nothingFor, shownFor } = TEXTS[language];
  return html`<p role="status" class="banner">
    ${nothingFor} <q>${shortened(typed, MAX_TITLE_BYTES)}</q>. ${shownFor}
    <q lang="uk">${shortened(query.text, MAX_TITLE_BYTES)}</q>.
  </p>`;
}

/** The same list in another order. */
function sortLinks(query: PageQuery, context: PageContext): Html {
  const { sort, first, sorts } = TEXTS[context.language];
  const chosen = query.conditions.filter(({ name }) => name === 'sort');
  const others = remaining(query.conditions, chosen);
  const current = chosen[0]?.value ?? SORTS[0];
  const links = SORTS.map((value) => {
    const order = value === SORTS[0] ? [] : [{ name: 'sort', value }];
    const isCurrent = value === current && html` aria-current="true"`;
    return html`<a rel="nofollow" href="${linkToList(context, [...others, ...order])}" ${isCurrent}
      >${sorts[value]}</a
    >`;
  });
  return html`<nav id="sort" aria-label="${sort}"><span>${first}</span> ${links}</nav>`;
}

function pager(query: PageQuery, { newer, older }: ListPage, context: PageContext): Html | undefined {
  const texts = TEXTS[context.language];
  if (newer === undefined && older === undefined) return undefined;
  const names = query.isByValue || !query.isDescending ? [texts.before, texts.after] : [texts.newer, texts.older];
  return html`<nav class="pager" aria-label="${texts.pages}">
    ${newer !== undefined && html`<a rel="prev" href="${linkToPage(context, query, newer, true)}">${names[0]}</a>`}
    ${older !== undefined && html`<a rel="next" href="${linkToPage(context, query, older, false)}">${names[1]}</a>`}
  </nav>`;
}

function asData(query: PageQuery, context: PageContext): Html {
  const texts = TEXTS[context.language];
  const conditions = searchConditions(query);
  return html`<nav id="data" aria-label="${texts.asData}">
    <span>${texts.asData}</span>
    <a rel="nofollow" href="${linkToApi(context, '', conditions)}">JSON</a>
    <a rel="nofollow" href="${linkToApi(context, '.csv', conditions)}">${texts.csv}</a>
    <a rel="nofollow" href="${linkToFeed(context, conditions)}">Atom</a>
  </nav>`;
}
