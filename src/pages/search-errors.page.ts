import { html } from './html.js';
import { layout } from './layout.js';
import type { SearchForm } from './search-form.js';
import { fieldLabelOf, nameOf, reasonOf, type SearchInvalid } from './search-errors.js';
import { TEXTS } from './texts.js';
import { linkWithout, type PageContext } from './page-context.js';

/** The form again, as it was filled in, with what cannot be read. */
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
