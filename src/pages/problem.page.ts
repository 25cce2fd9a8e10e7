import type { ApiError } from '../errors/api-error.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import { fieldLabelOf, nameOf, reasonOf } from './search-refused.js';
import { type Texts, TEXTS } from './texts.js';
import { linkTo, linkWithout, type Visit } from './visit.js';

/** What people see in the place of an error body. */
export function problemPage(error: ApiError, visit: Visit): string {
  const { status } = error;
  const texts = TEXTS[visit.language];
  const { title, more } = isSwitchedOff(status, visit)
    ? { title: texts.statistics, more: texts.searchOff }
    : told(status, texts);
  const name = nameOf(error);
  const rule = status === 400 ? reasonOf(error, texts) : undefined;
  const main = html`<h1>${title}</h1>
    <p>${more}</p>
    <p class="code">${status} ${status === 400 && name}</p>
    ${rule !== undefined && html`<p>${fieldLabelOf(name, texts)}: ${rule}</p>`}
    ${status === 400 && visit.path === '/' && html`<p><a href="${linkWithout(visit, [name])}">${texts.withoutIt}</a></p>`}
    ${status === 404 && notThen(visit, texts)}
    <p><a href="${linkTo(visit, '/')}">${texts.toStart}</a></p>`;
  return layout(visit, {
    title,
    description: texts.tagline,
    head: html`<meta name="robots" content="noindex" />`,
    main,
  });
}

/** The numbers are those of the search. */
function isSwitchedOff(status: number, { hasSearch, path }: Visit): boolean {
  return status === 503 && !hasSearch && path === '/statistics';
}

const ASSET_PAGE = /^\/assets\/[^/]+$/;

/** Who asked for what an asset was may look at what it is. */
function notThen(visit: Visit, texts: Texts): Html | false {
  if (!ASSET_PAGE.test(visit.path) || visit.query.get('at') === undefined) return false;
  return html`<p>${texts.notPublicThen} <a href="${linkTo(visit, visit.path)}">${texts.toPresent}</a></p>`;
}

function told(status: number, texts: Texts): { title: string; more: string } {
  if (status === 404) return { title: texts.notFound, more: texts.notFoundMore };
  if (status === 400) return { title: texts.malformed, more: texts.malformedMore };
  return { title: status === 429 ? texts.tooMany : texts.unavailable, more: texts.unavailableMore };
}
