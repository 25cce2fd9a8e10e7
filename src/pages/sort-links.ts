import { SORTS } from '../search/search-parameters.js';
import { type Html, html } from './html.js';
import { linkToList, remaining } from './list-links.js';
import type { PageQuery } from './page-query.js';
import type { PageContext } from './page-context.js';
import { TEXTS } from './texts.js';

/** The same list in another order. */
export function sortLinks(query: PageQuery, context: PageContext): Html {
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
