import { html } from './html.js';
import type { Language } from './language.js';
import { layout } from './layout.js';
import type { PageContext } from './page-context.js';

/** Texts of the statement; the tests in test/pages/browser/ prove it. */
interface Statement {
  title: string;
  status: string;
  checked: string;
  checks: readonly string[];
  known: string;
  gaps: readonly string[];
  contact: string;
  contactMore: string;
}

const STATEMENTS: Readonly<Record<Language, Statement>> = {
  uk: {
    title: 'Доступність',
    status:
      'Сторінки цього реєстру частково відповідають EN 301 549, розділ 9 (WCAG 2.1, рівні A та AA). Це власна оцінка, незалежної перевірки не було.',
    checked: 'Що перевіряють автоматичні тести перед кожним випуском',
    checks: [
      'правила axe-core для WCAG 2.0, 2.1 і 2.2 рівнів A та AA на переліку, пошуку (зокрема без результатів), обʼєкті, його історії та минулому стані, чернетці, вилученому обʼєкті, статистиці, формі з помилкою, сторінці помилки, сторінці про реєстр та на цій сторінці, у світлих і темних кольорах',
      'для всього досить клавіатури, фокус завжди видно; перше посилання веде до змісту',
      'на екрані завширшки 320 пікселів ніщо не прокручується вбік і не обрізається: рядки таблиць стають списками',
      'усе працює без JavaScript; мова сторінки та її частин позначена; один заголовок першого рівня',
      'html-validate не знаходить у розмітці HTML помилок',
    ],
    known: 'Що не відповідає або не перевірено',
    gaps: [
      'тексти організаторів показані так, як їх написано: їхня мова не завжди позначена, і вони можуть бути незрозумілими',
      'документи за посиланнями та інші сайти реєстр не перевіряє',
      'опис API (/docs/) створено стороннім Swagger UI і на доступність не перевірено',
      'випробувань із людьми та програмами читання з екрана не було',
    ],
    contact: 'Про перешкоди',
    contactMore:
      'Повідомте розпорядника цього реєстру. Усе, що є на сторінках, можна отримати також як JSON, за посиланням на сторінці кожного обʼєкта.',
  },
  en: {
    title: 'Accessibility',
    status:
      'The pages of this registry conform partially to EN 301 549, clause 9 (WCAG 2.1, levels A and AA). This is a self-assessment; there was no independent audit.',
    checked: 'What automatic tests check before each release',
    checks: [
      'the rules of axe-core for WCAG 2.0, 2.1 and 2.2, levels A and AA, on the list, a search (one without results too), an asset, its history and a past state, a draft, a withdrawn asset, the statistics, a form with an error, an error page, the page about the registry and this page, in light and dark colours',
      'everything works with the keyboard alone, and the focus is always visible; the first link skips to the content',
      'on a screen of 320 pixels nothing scrolls sideways and nothing is cut off: the rows of tables become lists',
      'everything works without JavaScript; the language of the page and of its parts is marked; there is one heading of the first level',
      'html-validate finds no errors in the HTML',
    ],
    known: 'What does not conform, or was not checked',
    gaps: [
      'texts of brokers are shown as written: their language is not always marked, and they may be hard to understand',
      'linked documents and other sites are not checked',
      'the API documentation (/docs/) is a third-party program, Swagger UI, and was not checked',
      'there were no tests with people or with screen readers',
    ],
    contact: 'Reporting barriers',
    contactMore:
      'Please tell the operator of this registry. Everything on the pages is also available as JSON, linked from the page of each asset.',
  },
};

/** The accessibility statement of EN 301 549. */
export function accessibilityPage(context: PageContext): string {
  const { title, status, checked, checks, known, gaps, contact, contactMore } = STATEMENTS[context.language];
  const main = html`<article>
    <h1>${title}</h1>
    <p>${status}</p>
    <h2>${checked}</h2>
    <ul>
      ${checks.map((check) => html`<li>${check}</li>`)}
    </ul>
    <h2>${known}</h2>
    <ul>
      ${gaps.map((gap) => html`<li>${gap}</li>`)}
    </ul>
    <h2>${contact}</h2>
    <p>${contactMore}</p>
  </article>`;
  return layout(context, { title, description: status, address: '/accessibility', main });
}
