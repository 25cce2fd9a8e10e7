import { ByteBudget, shortened } from './byte-budget.js';
import { describeConditions, shownConditions } from './condition-summary.js';
import type { FilterChoices } from './filter-choices.js';
import { type Html, html } from './html.js';
import { linkToList, remaining } from './list-links.js';
import type { Condition, PageQuery } from './page-query.js';
import { linkTo, type PageContext } from './page-context.js';
import { TEXTS } from './texts.js';
import { USUAL_CURRENCY } from './typed-values.js';

const MAX_CONDITION_BYTES = 150;
/** A limit, because each link repeats the query. */
const MAX_CHIPS_BYTES = 2_500;

/** A link for each condition that removes it, as far as they fit. */
export function chipLinks(query: PageQuery, choices: FilterChoices, context: PageContext): Html | undefined {
  if (query.isPreset) return undefined;
  const texts = TEXTS[context.language];
  const budget = new ByteBudget(MAX_CHIPS_BYTES);
  const { currency } = query.query;
  const isImplied = ({ name, value }: Condition): boolean =>
    query.isByValue && name === 'currency' && value === USUAL_CURRENCY;
  const shown = shownConditions(query.conditions).filter((one) => !isImplied(one));
  const links = shown.map((condition) => {
    const label = shortened(describeConditions([condition], { choices, currency }, context), MAX_CONDITION_BYTES);
    const href = linkToList(context, remaining(query.conditions, [condition]));
    return html`<a rel="nofollow" href="${href}" title="${texts.remove}"><bdi>${label}</bdi> ×</a> `;
  });
  if (links.length === 0) return undefined;
  return html`<nav id="chips" aria-label="${texts.chosen}">
    ${links.filter(({ text }) => budget.reserve(Buffer.byteLength(text)))}
    <a href="${linkTo(context, '/')}">${texts.reset}</a>
  </nav>`;
}
