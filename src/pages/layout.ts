import { DOCS_PATH } from '../http/swagger-ui.js';
import { type Html, html, type Part } from './html.js';
import { type Language, LANGUAGES } from './language.js';
import { pageFile } from './page-files.js';
import { publisherFacts } from './publisher.js';
import { type Texts, TEXTS } from './texts.js';
import { linkTo, linkToLanguage, type PageContext } from './page-context.js';

/** The parts of a page inside the layout. */
interface PageParts {
  title: Part;
  /** Text for search engines. */
  description: Part;
  /** Canonical path for search engines; undefined: not indexed under one. */
  address?: string | undefined;
  /** Further elements of the head. */
  head?: Html | undefined;
  main: Html;
  /** The Atom feed of the page; undefined: the one of all changes. */
  feed?: string | undefined;
}

const NAMES: Readonly<Record<Language, string>> = { uk: 'Українська', en: 'English' };

export function layout(context: PageContext, { title, description, address, head, main, feed }: PageParts): string {
  const texts = TEXTS[context.language];
  const { root } = context;
  const page = html`<!doctype html>
    <html lang="${context.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${description}" />
        <title>${title}${title !== texts.registry && ` · ${texts.registry}`}</title>
        <link rel="stylesheet" href="${root}/pages/${pageFile('style.css').name}" />
        <link rel="icon" type="image/svg+xml" href="${root}/pages/${pageFile('icon.svg').name}" />
        <link
          rel="alternate"
          type="application/atom+xml"
          title="${texts.feed}"
          href="${feed ?? linkTo(context, '/changes.atom')}"
        />
        ${address !== undefined && addresses(context, address)} ${head}
      </head>
      <body>
        <a class="skip" href="#content">${texts.toContent}</a>
        ${header(context, texts)}
        <main id="content">${main}</main>
        ${footer(context, texts)}
      </body>
    </html> `;
  return page.text;
}

/** The canonical address, and one address for each language. */
function addresses({ base, hasChosen, language }: PageContext, path: string): Html {
  const url = base + path;
  const inLanguage = (one: Language): string => `${url}?lang=${one}`;
  return html`<link rel="canonical" href="${hasChosen ? inLanguage(language) : url}" />
    ${LANGUAGES.map((one) => html`<link rel="alternate" hreflang="${one}" href="${inLanguage(one)}" />`)}
    <link rel="alternate" hreflang="x-default" href="${url}" />`;
}

function header(context: PageContext, texts: Texts): Html {
  return html`<header>
    <div class="bar">
      <a class="name" href="${linkTo(context, '/')}"
        ><img
          src="${context.root}/pages/${pageFile('icon.svg').name}"
          alt=""
          width="28"
          height="28"
        />${texts.registry}</a
      >
      ${
        context.hasSearch &&
        html`<nav aria-label="${texts.sections}">
          <a href="${linkTo(context, '/statistics')}" ${context.path === '/statistics' && html` aria-current="page"`}
            >${texts.statistics}</a
          >
        </nav>`
      }
      <nav id="language" aria-label="${texts.language}">
        ${LANGUAGES.map(
          (language) =>
            html`<a
              href="${linkToLanguage(context, language)}"
              hreflang="${language}"
              lang="${language}"
              ${language === context.language && html` aria-current="true"`}
              >${NAMES[language]}</a
            >`,
        )}
      </nav>
    </div>
  </header>`;
}

function footer(context: PageContext, texts: Texts): Html {
  const facts = publisherFacts(context);
  return html`<footer>
    <div class="bar">
      <p>${texts.tagline}</p>
      <nav aria-label="${texts.forPrograms}">
        <a href="${context.root}${DOCS_PATH}/">${texts.api}</a>
        <a href="${linkTo(context, '/changes.atom')}">${texts.feed}</a>
      </nav>
      <nav aria-label="${texts.about}">
        <a href="${linkTo(context, '/about')}">${texts.about}</a>
        <a href="${linkTo(context, '/accessibility')}">${texts.accessibility}</a>
      </nav>
      ${facts.length > 0 && html`<p id="publisher">${facts.map(({ label, value }) => html`<span>${label}: ${value}</span> `)}</p>`}
    </div>
  </footer>`;
}
