import { EXAMPLE_FILE } from '../asset-types/basic/example-file.js';
import { API_PREFIX } from '../http/api-paths.js';
import { regionLabel } from '../search/region-labels.js';
import { ByteBudget, shortened } from './byte-budget.js';
import { describeConditions } from './condition-summary.js';
import type { FilterChoices } from './filter-choices.js';
import { type Html, html } from './html.js';
import { printCount, type ShownCounts } from './list-counts.js';
import { linkToList, remaining, without } from './list-links.js';
import type { Condition, PageQuery } from './page-query.js';
import type { PageContext } from './page-context.js';
import { TEXTS } from './texts.js';

const MAX_NAME_BYTES = 400;
/** A limit, because each link repeats the query. */
const MAX_CONDITIONS_BYTES = 3_000;

/** Says why a search has found nothing, and links to searches that find something. */
export function noHits(query: PageQuery, counts: ShownCounts, choices: FilterChoices, context: PageContext): Html {
  const isInOthers = counts.everything.count > 0;
  return html`<div class="nothing">
    ${isInOthers ? inOtherStates(query, counts, context) : nothingFound(query, counts, context)}
    ${counts.without.size > 0 && hitsWithoutEach(query, counts, choices, context)}
  </div>`;
}

/** Assets in other states match the rest of the search. */
function inOtherStates(
  { conditions, isAvailable }: PageQuery,
  { everything }: ShownCounts,
  context: PageContext,
): Html {
  const texts = TEXTS[context.language];
  return html`<p>
    ${isAvailable ? texts.noneAvailable : texts.noneInState}
    <a rel="nofollow" href="${linkToList(context, without(conditions, 'status'))}"
      >${texts.inAllStates}: ${printCount(everything, context)}</a
    >
  </p>`;
}

function nothingFound(query: PageQuery, { similarRegions }: ShownCounts, context: PageContext): Html {
  const texts = TEXTS[context.language];
  const { text, region } = query.query;
  const others = without(query.conditions, 'region');
  const link = (conditions: readonly Condition[], name: string): Html =>
    html` <a rel="nofollow" href="${linkToList(context, conditions)}"
      ><bdi>${shortened(name, MAX_NAME_BYTES)}</bdi></a
    >`;
  const words = [text, ...region].filter(Boolean).join(' ');
  return html`<p>${texts.nothingFound}</p>
    ${similarRegions.length > 0 && html`<p id="similar">${texts.similarRegions}${similarRegions.map((value) => link([...others, { name: 'region', value }], regionLabel(value, context.language)))}</p>`}
    ${region.length > 0 && html`<p>${texts.asWords}${link([{ name: 'q', value: words }, ...without(others, 'q')], words)}</p>`}`;
}

/** The number of hits without each condition, linked if there are any. */
function hitsWithoutEach(query: PageQuery, counts: ShownCounts, choices: FilterChoices, context: PageContext): Html {
  const texts = TEXTS[context.language];
  const budget = new ByteBudget(MAX_CONDITIONS_BYTES);
  const { currency } = query.query;
  const lines = [...counts.without].map(([name, count]) => {
    const conditions = query.conditions.filter((one) => one.name === name);
    const label = shortened(describeConditions(conditions, { choices, currency }, context), MAX_NAME_BYTES);
    const number = printCount(count, context);
    const href = linkToList(context, remaining(query.conditions, conditions));
    const shown = count.count > 0 ? html`<a rel="nofollow" href="${href}">${number}</a>` : number;
    return html`<li>
      ${texts.without} <q><bdi>${label}</bdi></q
      >: ${shown}
    </li>`;
  });
  return html`<ul id="without">
    ${lines.filter(({ text }) => budget.reserve(Buffer.byteLength(text)))}
  </ul>`;
}

export function emptyRegistry({ base, root, language }: PageContext): Html {
  const texts = TEXTS[language];
  const create = `curl -u broker: -H 'Content-Type: application/json' -d @${EXAMPLE_FILE} ${base}/${API_PREFIX}/assets`;
  return html`<section class="nothing" aria-labelledby="empty">
    <h2 id="empty">${texts.empty}</h2>
    <p>${texts.emptyDemo}</p>
    <pre tabindex="0"><code>npx asset-registry --demo</code></pre>
    <p>${texts.emptyCreate}</p>
    <pre tabindex="0"><code>${create}</code></pre>
    <p><a href="${root}/docs/">${texts.api}</a></p>
  </section>`;
}
