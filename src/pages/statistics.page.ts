import { API_PREFIX } from '../http/api-paths.js';
import type { Counts } from '../database/search/index-answers.js';
import { dayAfter, monthAfter } from '../search/calendar.js';
import { regionLabel } from '../search/region-labels.js';
import type { Changes, Counted } from '../search/statistics.js';
import { type Bar, type BarChart, barChart } from './bar-chart.js';
import { html } from './html.js';
import { linkToList } from './list-links.js';
import type { FilterChoices } from './filter-choices.js';
import { inEach, type Language } from './language.js';
import { layout } from './layout.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { money, printNumber } from './shown-values.js';
import { type Texts, TEXTS } from './texts.js';
import type { ShownTimes } from './times.js';
import type { PageContext } from './page-context.js';

/** Brokers write regions as they like, and many. */
const MAX_REGIONS = 30;
const BYTES_OF_REGIONS = 12_000;
const BYTES_OF_NAME = 200;
/** Bytes of a region's row beside its name. */
const BYTES_OF_REGION = 250;

const formats = (options: Intl.DateTimeFormatOptions) =>
  inEach((locale) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }));
const dayFormats = formats({ dateStyle: 'medium' });
const monthFormats = formats({ year: 'numeric', month: 'long' });

/** The numbers of the registry. */
export class StatisticsPage {
  constructor(
    private readonly choices: FilterChoices,
    private readonly times: ShownTimes,
  ) {}

  show(counted: Counted, context: PageContext): string {
    const texts = TEXTS[context.language];
    const { total, indexedUs, isComplete } = counted;
    const main = html`<h1>${texts.statistics}</h1>
      ${!isComplete && html`<p role="status" class="banner">${texts.indexing}</p>`}
      <p>${texts.listedAssets}: <a href="${linkToList(context, [])}">${printNumber(total, context.language)}</a></p>
      ${indexedUs >= 0 && html`<p class="note">${texts.lastChange}: ${this.times.show(indexedUs, context.language)} (${this.times.timeZone})</p>`}
      <p>${texts.barsLead}</p>
      ${this.charts(counted, context.language).map((one) => barChart(one, context))}
      <p><a href="${context.root}/${API_PREFIX}/statistics">${texts.openJson}</a></p>`;
    return layout(context, {
      title: texts.statistics,
      description: texts.statisticsMore,
      address: context.query.parameters.some(({ name }) => name !== 'lang') ? undefined : '/statistics',
      main,
    });
  }

  private charts(counted: Counted, language: Language): BarChart[] {
    const texts = TEXTS[language];
    const { status, assetType, region, value, days, months } = counted;
    const regions = regionBars(region, language);
    const note = regions.length < region.length ? { note: texts.mostFrequent } : {};
    return [
      { ...chart('status', texts.byState, [texts.state], texts), bars: this.namedBars('status', status, language) },
      { ...chart('type', texts.byType, [texts.type], texts), bars: this.namedBars('assetType', assetType, language) },
      { ...chart('region', texts.byRegion, [texts.region], texts), ...note, bars: regions },
      {
        ...chart('currency', texts.byCurrency, [texts.currency, texts.sum], texts),
        bars: value.map((one) => currencyBar(one, language)),
      },
      { ...chart('days', texts.byDay, [texts.day, texts.created], texts), bars: dayBars(days, language) },
      { ...chart('months', texts.byMonth, [texts.month, texts.created], texts), bars: monthBars(months, language) },
    ];
  }

  private namedBars(filter: 'status' | 'assetType', counts: Counts, language: Language): Bar[] {
    return counts.map(([name, count]) => {
      const label = html`${this.choices.label(filter, name, language)}`;
      return { label, count, search: this.choices.has(filter, name) ? { [filter]: name } : undefined, more: [] };
    });
  }
}

function currencyBar({ currency, sum, count }: Counted['value'][number], language: Language): Bar {
  const shown = money(sum as `${number}`, currency, language);
  return { label: html`${currency}`, count, search: { currency }, more: [html`<data value="${sum}">${shown}</data>`] };
}

/** @param columns of the labels, and of what is told beside the number of assets */
function chart(id: string, heading: string, [label = '', ...more]: string[], texts: Texts): Omit<BarChart, 'bars'> {
  return { id, heading, columns: [label, texts.assets, ...more] };
}

/** Those that there is room for. */
function regionBars(regions: Counted['region'], language: Language): Bar[] {
  const budget = new ByteBudget(BYTES_OF_REGIONS);
  return regions.slice(0, MAX_REGIONS).flatMap(([name, count]) => {
    const label = shortened(regionLabel(name, language), BYTES_OF_NAME);
    const bytes = BYTES_OF_REGION + encodeURIComponent(name).length + Buffer.byteLength(label.text);
    return budget.reserve(bytes) ? [{ label, count, search: { region: name }, more: [] }] : [];
  });
}

/** The newest first. */
function dayBars(days: readonly Changes[], language: Language): Bar[] {
  return days.toReversed().map(({ when, created, changed }) => ({
    label: html`${dayFormats[language].format(Date.parse(when))}`,
    count: changed,
    search: { modifiedFrom: when, modifiedTo: dayAfter(when, 1) },
    more: [printNumber(created, language)],
  }));
}

function monthBars(months: readonly Changes[], language: Language): Bar[] {
  return months.toReversed().map(({ when, created, changed }) => ({
    label: html`${monthFormats[language].format(Date.parse(when))}`,
    count: changed,
    search: { modifiedFrom: `${when}-01`, modifiedTo: `${monthAfter(when, 1)}-01` },
    more: [printNumber(created, language)],
  }));
}
