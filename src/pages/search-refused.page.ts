import { type Html, html } from './html.js';
import { layout } from './layout.js';
import type { SearchForm } from './search-form.js';
import { fieldLabelOf, ruleOf, type SearchRefused } from './search-refused.js';
import { type Texts, TEXTS } from './texts.js';
import { linkWithout, type Visit } from './visit.js';

/** The form again, as it was filled in, with what cannot be read. */
export function searchRefusedPage({ faults, search }: SearchRefused, form: SearchForm, visit: Visit): string {
  const texts = TEXTS[visit.language];
  const names = faults.map(({ name }) => name);
  const rules = new Map(names.map((name) => [name, ruleOf(name, texts) ?? '']));
  const earlier = names.includes('assetType') ? ['type'] : [];
  const main = html`<h1>${texts.refused}</h1>
    <div class="banner gone" role="alert">
      <ul>
        ${names.map((name) => refusal(name, texts))}
      </ul>
      <p>
        <a rel="nofollow" href="${linkWithout(visit, [...names, ...earlier])}"
          >${names.length > 1 ? texts.withoutThem : texts.withoutIt}</a
        >
      </p>
    </div>
    ${form.show(search, rules, visit)}`;
  return layout(visit, {
    title: texts.refused,
    description: texts.tagline,
    head: html`<meta name="robots" content="noindex" />`,
    main,
  });
}

function refusal(name: string, texts: Texts): Html {
  return html`<li><a href="#${name}">${fieldLabelOf(name, texts)}</a>. ${ruleOf(name, texts)}</li>`;
}
