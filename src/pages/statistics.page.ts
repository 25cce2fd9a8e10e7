import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { API_PREFIX } from '../http/api-paths.js';
import { printQuery } from '../http/request-target.js';
import type { Caller } from '../http/caller.js';
import { unavailable } from '../platform/errors/errors.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { EVERYTHING } from '../search/search-query.js';
import { type SearchStatistics, Statistics } from '../search/statistics.js';
import { type BarChart, barChart } from './bar-chart.js';
import { shortened } from './byte-budget.js';
import { summarizeConditions } from './condition-summary.js';
import { type Html, html } from './html.js';
import { linkToList, searchConditions, without } from './list-links.js';
import { FilterChoices } from './filter-choices.js';
import { layout } from './layout.js';
import type { Condition, PageQuery } from './page-query.js';
import { printNumber } from './shown-values.js';
import { StatisticsBars } from './statistics-bars.js';
import { StatisticsLinks } from './statistics-links.js';
import { type Texts, TEXTS } from './texts.js';
import { ShownTimes } from './times.js';
import { linkTo, type PageContext } from './page-context.js';

const MAX_SUMMARY_BYTES = 400;

/** The statistics page, of all assets or of a search. */
@Injectable()
export class StatisticsPage {
  private readonly choices: FilterChoices;

  constructor(
    private readonly statistics: Statistics,
    types: AssetTypes,
    private readonly times: ShownTimes,
    private readonly time: RegistryTime,
  ) {
    this.choices = new FilterChoices(types);
  }

  /** @throws ApiError 503 if the search is off */
  async show(sent: PageQuery, context: PageContext, caller: Pick<Caller, 'isGone' | 'chargeWork'>): Promise<Buffer> {
    const search = sent.isPreset ? ofEverything(sent) : sent;
    const counted = await this.statistics.read(search.query, caller);
    if (counted === undefined) throw unavailable('search_away');
    return Buffer.from(this.print(counted, search, context));
  }

  private print(counted: SearchStatistics, search: PageQuery, context: PageContext): string {
    const texts = TEXTS[context.language];
    const { total, indexedUs, isComplete } = counted;
    const filters = without(search.conditions, 'sort');
    const links = new StatisticsLinks(search, context, this.time);
    const charts = this.charts(counted, new StatisticsBars(this.choices, links, context.language), context);
    const nothing = filters.length > 0 ? texts.nothingFound : texts.empty;
    const main = html`<h1>${texts.statistics}</h1>
      ${!isComplete && html`<p role="status" class="banner">${texts.indexing}</p>`}
      ${filters.length > 0 && this.searchedFor(filters, context)}
      <p>
        <a href="${linkToList(context, filters)}"
          >${filters.length > 0 ? texts.searchResults : texts.listedAssets}: ${printNumber(total, context.language)}</a
        >
      </p>
      ${indexedUs >= 0 && html`<p class="note">${texts.lastChange}: ${this.times.show(indexedUs, context.language)} (${this.times.timeZone})</p>`}
      <p>${total > 0 ? texts.barsLead : isComplete && nothing}</p>
      ${total > 0 && charts.map((one) => barChart(one, context.language))}
      <p><a href="${linkToJson(search, context)}">${texts.openJson}</a></p>`;
    return layout(context, {
      title: texts.statistics,
      description: texts.statisticsMore,
      address: filters.length > 0 ? undefined : '/statistics',
      main,
    });
  }

  private searchedFor(filters: readonly Condition[], context: PageContext): Html {
    const texts = TEXTS[context.language];
    const summary = shortened(summarizeConditions(filters, this.choices, context), MAX_SUMMARY_BYTES);
    return html`<p id="search">${texts.ofSearch}: <bdi>${summary}</bdi></p>
      <p><a href="${linkTo(context, '/statistics')}">${texts.ofRegistry}</a></p>`;
  }

  private charts(counted: SearchStatistics, bars: StatisticsBars, { language }: PageContext): BarChart[] {
    const texts = TEXTS[language];
    const { status, assetType, region, value, days, months } = counted;
    const [main] = value.toSorted((a, b) => b.count - a.count);
    const regions = bars.regions(region);
    const counts = regions.filter(({ count }) => count > 0).length;
    const note = counts < region.length ? { note: texts.mostFrequent } : {};
    const sums = main === undefined ? [] : [texts.sum];
    return [
      { ...chart('status', texts.byState, [texts.state], texts), bars: bars.named('status', status) },
      { ...chart('type', texts.byType, [texts.type], texts), bars: bars.named('assetType', assetType) },
      { ...chart('region', texts.byRegion, [texts.region], texts), ...note, bars: regions },
      {
        ...chart('currency', texts.byCurrency, [texts.currency, texts.sum, texts.median], texts),
        bars: bars.currencies(value),
      },
      {
        ...chart('months', texts.byMonth, [texts.month, texts.created, ...sums], texts),
        lines: bars.lines(months, main?.currency),
        bars: bars.months(months, main?.currency),
      },
      { ...chart('days', texts.byDay, [texts.day, texts.created], texts), bars: bars.days(days) },
    ];
  }
}

/** @param columns headings of the label and of the columns after the number of assets */
function chart(id: string, heading: string, [label = '', ...more]: string[], texts: Texts): Omit<BarChart, 'bars'> {
  return { id, heading, columns: [label, texts.assets, ...more] };
}

/** The same numbers as data. */
function linkToJson(search: PageQuery, { root }: PageContext): string {
  const filters = without(searchConditions(search), 'sort');
  return `${root}/${API_PREFIX}/statistics${filters.length === 0 ? '' : `?${printQuery(filters)}`}`;
}

/** Without a filter the list shows what is available now, but the statistics count everything. */
function ofEverything(query: PageQuery): PageQuery {
  return { ...query, conditions: [], query: EVERYTHING, isAvailable: false };
}
