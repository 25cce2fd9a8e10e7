import { API_PREFIX } from '../http/api-paths.js';
import { DOCS_PATH } from '../http/swagger-ui.js';
import { VERSION } from '../platform/config/version.js';
import { ABOUT_TEXTS } from './about-texts.js';
import { showRow } from './display-options.js';
import { html, type Html } from './html.js';
import { layout } from './layout.js';
import { linkTo, type PageContext } from './page-context.js';
import { linkOut, publisherFacts, publisherName } from './publisher.js';
import { TEXTS } from './texts.js';

/** An example of a date. */
const PAST_DATE = '2026-01-31';

/** The page about the registry: its publisher, and how to cite, copy and check its data. @param hasLog whether the registry has a log of public states */
export function aboutPage(context: PageContext, hasLog: boolean): string {
  const texts = ABOUT_TEXTS[context.language];
  const main = html`<article>
    <h1>${texts.title}</h1>
    <p>${texts.what}</p>
    <p>${texts.keeps}</p>
    ${whoAnswers(context)} ${howToCite(context)} ${howToCopy(context)} ${hasLog && howToCheck(context)}
  </article>`;
  return layout(context, { title: texts.title, description: texts.what, address: '/about', main });
}

function whoAnswers(context: PageContext): Html {
  const about = ABOUT_TEXTS[context.language];
  const { updateFrequency, termsUrl } = context.publisher;
  const facts = publisherFacts(context);
  if (termsUrl !== undefined) facts.push({ label: about.terms, value: linkOut(termsUrl) });
  if (updateFrequency !== undefined) facts.push({ label: about.frequency, value: about.frequencies[updateFrequency] });
  const list = html`<h2>${about.who}</h2>
    <dl>${facts.map(({ label, value }) => showRow(label, value))}</dl>`;
  return html`${facts.length > 0 && list}
    <p class="note">${about.version}: ${VERSION}</p>`;
}

function howToCite({ base, publisher, language }: PageContext): Html {
  const about = ABOUT_TEXTS[language];
  const page = `${base}/assets/${about.assetId}`;
  const name = publisherName(publisher, language);
  return html`<h2>${about.cite}</h2>
    <p>${about.citeMore}</p>
    <pre
      tabindex="0"
    ><code>${about.assetId}. ${TEXTS[language].registry}${name !== undefined && `, ${name}`}. ${page} (${PAST_DATE})</code></pre>
    <p>${about.citePast}</p>
    <pre tabindex="0"><code>${page}?at=${PAST_DATE}</code></pre>`;
}

function howToCopy(context: PageContext): Html {
  const { root, language } = context;
  const [texts, about] = [TEXTS[language], ABOUT_TEXTS[language]];
  const snapshot = `${root}/${API_PREFIX}/assets/snapshot`;
  return html`<h2>${about.copy}</h2>
    <p>
      ${about.copyFiles} <a rel="nofollow" href="${snapshot}.jsonl.gz">JSON Lines</a> ·
      <a rel="nofollow" href="${snapshot}.csv.gz">CSV</a>
    </p>
    <p>
      ${about.copyMore} <a href="${root}${DOCS_PATH}/">${texts.api}</a> ·
      <a href="${linkTo(context, '/changes.atom')}">${texts.feed}</a>
    </p>`;
}

function howToCheck({ root, language }: PageContext): Html {
  const about = ABOUT_TEXTS[language];
  return html`<h2>${about.proof}</h2>
    <p>
      ${about.proofMore} <a href="${root}/check-proof.py">check-proof.py</a> ·
      <a href="${root}/${API_PREFIX}/spore">${about.publicKey}</a>
    </p>`;
}
