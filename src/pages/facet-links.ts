import type { SearchPage } from '../search/asset-search.js';
import { regionKey } from '../search/region-key.js';
import { FACETS, type FacetName } from '../search/search-parameters.js';
import { type Count, countOf, type ShownCounts } from './list-counts.js';
import type { FilterChoices } from './filter-choices.js';
import { linkToList } from './list-links.js';
import { type Html, html } from './html.js';
import { type Condition, isAvailableNow, type PageQuery } from './page-query.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { printNumber } from './shown-values.js';
import { type Texts, TEXTS } from './texts.js';
import type { PageContext } from './page-context.js';

const MAX_VALUES = 5;
/** A limit, because each link repeats the query. */
const MAX_FACETS_BYTES = 2_500;
const MAX_NAME_BYTES = 60;

interface FacetValue extends Condition {
  name: FacetName;
}

/** Counts by state, type and region; each is a link that adds or removes the filter. */
export class FacetLinks {
  constructor(private readonly choices: FilterChoices) {}

  show(query: PageQuery, { facets }: ShownCounts, context: PageContext): Html | undefined {
    const texts = TEXTS[context.language];
    const budget = new ByteBudget(MAX_FACETS_BYTES);
    const lists = FACETS.map((name) => this.list(name, query, { page: facets[name], budget, context }));
    if (lists.every((list) => list === undefined)) return undefined;
    return html`<nav id="facets" aria-label="${texts.narrow}">${lists}</nav>`;
  }

  private list(
    name: FacetName,
    query: PageQuery,
    { page, budget, context }: { page: SearchPage | undefined; budget: ByteBudget; context: PageContext },
  ): Html | undefined {
    const texts = TEXTS[context.language];
    const { isExact } = countOf(page);
    const counts = page?.facets?.[name] ?? [];
    const known = counts.filter(([value]) => name === 'region' || this.choices.has(name, value));
    const values = known.map(([value, count]) => ({ value, count, isChosen: isChosen({ name, value }, query) }));
    const offered = values
      .filter((one, i) => i < MAX_VALUES || one.isChosen)
      .map((one) => ({ ...one, link: this.link({ name, value: one.value }, query, { ...one, isExact, context }) }));
    // Chosen values come first, so that they can always be removed.
    const byNeed = offered.toSorted((a, b) => Number(b.isChosen) - Number(a.isChosen));
    const fitting = new Set(byNeed.filter(({ link }) => budget.reserve(Buffer.byteLength(link.text))));
    const links = offered.filter((one) => fitting.has(one)).map(({ link }) => link);
    if (links.length === 0) return undefined;
    return html`<p>${headOf(name, texts)}:</p>
      <ul>
        ${links}
      </ul>`;
  }

  private link(
    one: FacetValue,
    query: PageQuery,
    { count, isExact, isChosen: isOn, context }: Count & { isChosen: boolean; context: PageContext },
  ): Html {
    const texts = TEXTS[context.language];
    const { name, value } = one;
    const shown = shortened(this.choices.label(name, value, context.language), MAX_NAME_BYTES);
    const href = linkToList(context, isOn ? others(one, query) : [...baseOf(name, query), one]);
    const removal = isOn && html` aria-current="true" title="${texts.remove}"`;
    return html`<li>
      <a rel="nofollow" href="${href}" ${removal}
        ><bdi>${shown}</bdi> ${printNumber(count, context.language)}${!isExact && '+'}${isOn && ' ×'}</a
      >
    </li>`;
  }
}

function isChosen(one: FacetValue, { conditions }: PageQuery): boolean {
  return conditions.some((other) => isSame(one, other));
}

function isSame(one: Condition, other: Condition): boolean {
  if (one.name !== other.name) return false;
  return one.value === other.value || (one.name === 'region' && regionKey(one.value) === regionKey(other.value));
}

function others(one: Condition, { conditions }: PageQuery): Condition[] {
  return conditions.filter((other) => !isSame(one, other));
}

/** A chosen state replaces `available-now`, which the form sends by default. */
function baseOf(name: FacetName, { conditions }: PageQuery): readonly Condition[] {
  return name === 'status' ? conditions.filter((one) => !isAvailableNow(one)) : conditions;
}

function headOf(name: FacetName, { state, type, region }: Texts): string {
  return { status: state, assetType: type, region }[name];
}
