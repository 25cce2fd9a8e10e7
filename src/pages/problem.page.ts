import type { ApiError } from '../platform/errors/api-error.js';
import { type Html, html } from './html.js';
import { layout } from './layout.js';
import type { SearchForm } from './search-form.js';
import { fieldLabelOf, nameOf, reasonOf, type SearchInvalid } from './search-errors.js';
import { type Texts, TEXTS } from './texts.js';
import { linkTo, linkWithout, type PageContext } from './page-context.js';

/** An error as a page. */
export function problemPage(error: ApiError, context: PageContext): string {
  const { status } = error;
  const texts = TEXTS[context.language];
  const { title, more } = isSwitchedOff(status, context)
    ? { title: texts.statistics, more: texts.searchOff }
    : titleOf(status, texts);
  const name = nameOf(error);
  const rule = status === 400 ? reasonOf(error, texts) : undefined;
  const main = html`<h1>${title}</h1>
    <p>${more}</p>
    <p class="code">${status} ${status === 400 && name}</p>
    ${rule !== undefined && html`<p>${fieldLabelOf(name, texts)}: ${rule}</p>`}
    ${status === 400 && context.path === '/' && html`<p><a href="${linkWithout(context, [name])}">${texts.withoutIt}</a></p>`}
    ${status === 404 && linkToPresent(context, texts)}
    <p><a href="${linkTo(context, '/')}">${texts.toStart}</a></p>`;
  return layout(context, {
    title,
    description: texts.tagline,
    head: html`<meta name="robots" content="noindex" />`,
    main,
  });
}

/** The statistics need the search. */
function isSwitchedOff(status: number, { hasSearch, path }: PageContext): boolean {
  return status === 503 && !hasSearch && path === '/statistics';
}

const ASSET_PAGE = /^\/assets\/[^/]+$/;

/** Links to the present state if a past one was not found. */
function linkToPresent(context: PageContext, texts: Texts): Html | false {
  if (!ASSET_PAGE.test(context.path) || context.query.get('at') === undefined) return false;
  return html`<p>${texts.notPublicThen} <a href="${linkTo(context, context.path)}">${texts.toPresent}</a></p>`;
}

function titleOf(status: number, texts: Texts): { title: string; more: string } {
  if (status === 404) return { title: texts.notFound, more: texts.notFoundMore };
  if (status === 400) return { title: texts.malformed, more: texts.malformedMore };
  return { title: status === 429 ? texts.tooMany : texts.unavailable, more: texts.unavailableMore };
}

/** The search form as it was filled in, with the errors of its fields. */
export function searchErrorsPage({ errors, search }: SearchInvalid, form: SearchForm, context: PageContext): string {
  const texts = TEXTS[context.language];
  const rules = new Map(errors.map((error) => [nameOf(error), reasonOf(error, texts) ?? '']));
  const names = [...rules.keys()];
  const main = html`<h1>${texts.refused}</h1>
    <div class="banner gone" role="alert">
      <ul>
        ${[...rules].map(([name, rule]) => html`<li><a href="#${name}">${fieldLabelOf(name, texts)}</a>. ${rule}</li>`)}
      </ul>
      <p>
        <a rel="nofollow" href="${linkWithout(context, names)}"
          >${names.length > 1 ? texts.withoutThem : texts.withoutIt}</a
        >
      </p>
    </div>
    ${form.show(search, rules, context)}`;
  return layout(context, {
    title: texts.refused,
    description: texts.tagline,
    head: html`<meta name="robots" content="noindex" />`,
    main,
  });
}
