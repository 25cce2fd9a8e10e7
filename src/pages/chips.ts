import { ByteBudget, shortened } from './byte-budget.js';
import { describeConditions } from './condition-summary.js';
import type { FilterChoices } from './filter-choices.js';
import { type Html, html } from './html.js';
import { linkToList, remaining, without } from './list-links.js';
import type { Condition, PageQuery } from './page-query.js';
import { linkTo, type PageContext } from './page-context.js';
import { TEXTS } from './texts.js';
import { isAmount, USUAL_CURRENCY } from './typed-values.js';

const BYTES_OF_CONDITION = 150;
/** Each link repeats the query, however long it is. */
const BYTES_OF_CHIPS = 2_500;

/** One condition as people see it. */
export interface Chip {
  /** The parameters that it is made of. */
  conditions: ReadonlySet<Condition>;
  name: string;
  label: string;
}

/** What was chosen, in words: states that are available now are one condition, and a currency stands behind its price. */
export function chipsOf(
  { conditions, isAvailable, isPreset, query }: PageQuery,
  choices: FilterChoices,
  context: PageContext,
): Chip[] {
  if (isPreset) return [];
  const isPriced = conditions.some(({ name }) => isAmount(name));
  const isByValue = conditions.some(({ name, value }) => name === 'sort' && value.endsWith('value'));
  const isShown = ({ name, value }: Condition): boolean =>
    name !== 'sort' && !(name === 'currency' && (isPriced || (isByValue && value === USUAL_CURRENCY)));
  const states = conditions.filter(({ name }) => isAvailable && name === 'status');
  const others = conditions.filter((one) => isShown(one) && !states.includes(one));
  const chips = others.map((one) => ({
    conditions: new Set([one]),
    name: one.name,
    label: describeConditions([one], { choices, currency: query.currency }, context),
  }));
  const available = { conditions: new Set(states), name: 'status', label: TEXTS[context.language].availableNow };
  return states.length > 0 ? [...chips, available] : chips;
}

/** To the list without some conditions; what is left may be what is available now, which the first page shows by itself. */
export function linkWithout(query: PageQuery, gone: ReadonlySet<Condition>, context: PageContext): string {
  const left = remaining(query.conditions, gone);
  const others = left.filter(({ name }) => name !== 'sort' && name !== 'status');
  const isFirstPage = query.isAvailable && others.length === 0 && left.some(({ name }) => name === 'status');
  return isFirstPage ? linkTo(context, '/', without(left, 'status')) : linkToList(context, left);
}

/** Each condition as a link that takes it away, as far as there is room. */
export function chipLinks(query: PageQuery, choices: FilterChoices, context: PageContext): Html | undefined {
  const texts = TEXTS[context.language];
  const budget = new ByteBudget(BYTES_OF_CHIPS);
  const links = chipsOf(query, choices, context).map(
    ({ conditions, label }) =>
      html`<a rel="nofollow" href="${linkWithout(query, conditions, context)}" title="${texts.remove}"
        ><bdi>${shortened(label, BYTES_OF_CONDITION)}</bdi> ×</a
      > `,
  );
  if (links.length === 0) return undefined;
  return html`<nav id="chips" aria-label="${texts.chosen}">
    ${links.filter(({ text }) => budget.reserve(Buffer.byteLength(text)))}
    <a href="${linkTo(context, '/')}">${texts.reset}</a>
  </nav>`;
}
