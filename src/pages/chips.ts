import { ByteBudget, shortened } from './byte-budget.js';
import { describeConditions } from './condition-summary.js';
import type { FilterChoices } from './filter-choices.js';
import { type Html, html } from './html.js';
import { linkToList, remaining } from './list-links.js';
import type { Condition, PageQuery } from './page-query.js';
import { linkTo, type PageContext } from './page-context.js';
import { TEXTS } from './texts.js';
import { isAmount, USUAL_CURRENCY } from './typed-values.js';

const BYTES_OF_CONDITION = 150;
/** A limit, because each link repeats the query. */
const BYTES_OF_CHIPS = 2_500;

interface Chip {
  condition: Condition;
  label: string;
}

/** The chosen conditions with their labels; a currency is shown with its price. */
function chipsOf({ conditions, isPreset, query }: PageQuery, choices: FilterChoices, context: PageContext): Chip[] {
  if (isPreset) return [];
  const isPriced = conditions.some(({ name }) => isAmount(name));
  const isByValue = conditions.some(({ name, value }) => name === 'sort' && value.endsWith('value'));
  const isShown = ({ name, value }: Condition): boolean =>
    name !== 'sort' && !(name === 'currency' && (isPriced || (isByValue && value === USUAL_CURRENCY)));
  return conditions.filter(isShown).map((condition) => ({
    condition,
    label: describeConditions([condition], { choices, currency: query.currency }, context),
  }));
}

/** A link for each condition that removes it, as far as they fit. */
export function chipLinks(query: PageQuery, choices: FilterChoices, context: PageContext): Html | undefined {
  const texts = TEXTS[context.language];
  const budget = new ByteBudget(BYTES_OF_CHIPS);
  const links = chipsOf(query, choices, context).map(
    ({ condition, label }) =>
      html`<a
        rel="nofollow"
        href="${linkToList(context, remaining(query.conditions, [condition]))}"
        title="${texts.remove}"
        ><bdi>${shortened(label, BYTES_OF_CONDITION)}</bdi> ×</a
      > `,
  );
  if (links.length === 0) return undefined;
  return html`<nav id="chips" aria-label="${texts.chosen}">
    ${links.filter(({ text }) => budget.reserve(Buffer.byteLength(text)))}
    <a href="${linkTo(context, '/')}">${texts.reset}</a>
  </nav>`;
}
