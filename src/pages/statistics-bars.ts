import type { Counts } from '../database/search/index-answers.js';
import { dayAfter, monthAfter } from '../search/calendar.js';
import { isRegionOfUkraine, REGIONS_OF_UKRAINE, regionLabel } from '../search/region-labels.js';
import type { Changes, MonthChanges, SearchStatistics } from '../search/statistics.js';
import type { Bar } from './bar-chart.js';
import { ByteBudget, shortened } from './byte-budget.js';
import type { FilterChoices } from './filter-choices.js';
import { type Html, html } from './html.js';
import { inEach, type Language } from './language.js';
import { type Line, lineChart } from './line-chart.js';
import { money, printNumber } from './shown-values.js';
import type { StatisticsLinks } from './statistics-links.js';
import { TEXTS } from './texts.js';

const MAX_CURRENCIES = 10;
/** Other regions than those of Ukraine: brokers may write any name. */
const MAX_OTHER_REGIONS_BYTES = 3_500;
const MAX_NAME_BYTES = 200;
/** Bytes of a region's row without its name. */
const ROW_BYTES = 200;

const formats = (options: Intl.DateTimeFormatOptions) =>
  inEach((locale) => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }));
const dayFormats = formats({ dateStyle: 'medium' });
const monthFormats = formats({ year: 'numeric', month: 'long' });

/** Builds the bars and lines of the statistics page. */
export class StatisticsBars {
  constructor(
    private readonly choices: FilterChoices,
    private readonly links: StatisticsLinks,
    private readonly language: Language,
  ) {}

  named(filter: 'status' | 'assetType', counts: Counts): Bar[] {
    return counts.map(([name, count]) => {
      const label = html`${this.choices.label(filter, name, this.language)}`;
      return { label, count, href: this.choices.has(filter, name) ? this.links.to(filter, name) : undefined, more: [] };
    });
  }

  /** All regions of Ukraine, then the most frequent others that fit. */
  regions(counts: Counts): Bar[] {
    const counted = new Set(counts.map(([name]) => name));
    const none = REGIONS_OF_UKRAINE.filter(({ uk }) => !counted.has(uk)).map(({ uk }) => [uk, 0] as const);
    const budget = new ByteBudget(MAX_OTHER_REGIONS_BYTES);
    return [...counts, ...none].flatMap(([name, count]) => {
      const label = shortened(regionLabel(name, this.language), MAX_NAME_BYTES);
      const bytes = ROW_BYTES + Buffer.byteLength(label.text) + encodeURIComponent(name).length;
      if (!isRegionOfUkraine(name) && !budget.reserve(bytes)) return [];
      return [{ label, count, href: count === 0 ? undefined : this.links.to('region', name), more: [] }];
    });
  }

  currencies(value: SearchStatistics['value']): Bar[] {
    const byCount = value.toSorted((a, b) => b.count - a.count).slice(0, MAX_CURRENCIES);
    return byCount.map(({ currency, sum, count, median }) => ({
      label: html`${currency}`,
      count,
      href: this.links.toCurrency(currency),
      more: [this.money(sum, currency), this.money(median, currency)],
    }));
  }

  /** Newest first. @param currency of the sums; undefined: no sums */
  months(months: readonly MonthChanges[], currency: string | undefined): Bar[] {
    return months.toReversed().map((month) => {
      const sum = sumIn(month, currency);
      const bar = this.changes(month, this.month(month), [`${month.when}-01`, `${monthAfter(month.when, 1)}-01`]);
      if (currency === undefined) return bar;
      return { ...bar, more: [...bar.more, sum === undefined ? '' : this.money(sum, currency)] };
    });
  }

  /** Lines of assets and of their value by month. @param currency of the value; undefined: no line of it */
  lines(months: readonly MonthChanges[], currency: string | undefined): Html[] {
    const texts = TEXTS[this.language];
    const ends = [months.at(0), months.at(-1)].map((one) => (one === undefined ? '' : this.month(one)));
    const draw = (lines: readonly Line[], print: (value: number) => string): Html =>
      lineChart(lines, ends, `${texts.highest}: ${print(Math.max(...lines.flatMap(({ values }) => values)))}`);
    const changed: Line = { label: texts.lastChanged, style: 'solid', values: months.map((one) => one.changed) };
    const created: Line = { label: texts.created, style: 'dashed', values: months.map((one) => one.created) };
    const assets = draw([changed, created], (value) => printNumber(value, this.language));
    if (currency === undefined) return [assets];
    const sums = months.map((one) => Number(sumIn(one, currency) ?? 0));
    const value = draw([{ label: texts.sum, style: 'solid', values: sums }], (sum) =>
      money(sum, currency, this.language),
    );
    return [assets, value];
  }

  days(days: readonly Changes[]): Bar[] {
    return days.toReversed().map((day) => {
      const label = dayFormats[this.language].format(Date.parse(day.when));
      return this.changes(day, label, [day.when, dayAfter(day.when, 1)]);
    });
  }

  private month({ when }: Changes): string {
    return monthFormats[this.language].format(Date.parse(when));
  }

  private changes({ created, changed }: Changes, label: string, [first, before]: [string, string]): Bar {
    const href = changed === 0 ? undefined : this.links.toDays(first, before);
    return { label: html`${label}`, count: changed, href, more: [printNumber(created, this.language)] };
  }

  private money(amount: string, currency: string): Html {
    return html`<data value="${amount}">${money(amount as `${number}`, currency, this.language)}</data>`;
  }
}

function sumIn({ value }: MonthChanges, currency: string | undefined): string | undefined {
  return value.find((one) => one.currency === currency)?.sum;
}
