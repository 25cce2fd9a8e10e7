import { type Html, html } from './html.js';
import type { Language } from './language.js';

const CYRILLIC = /\p{Script=Cyrillic}/u;
/** Cyrillic letters that Ukrainian does not have. */
const OTHER_CYRILLIC = /[ыэёъўџћђљњ]/iu;

/** Isolates a broker's text from its surroundings; English pages mark Ukrainian texts for screen readers. */
export function brokerText(text: string, shown: Html, language: Language): Html {
  const isUkrainian = language !== 'uk' && CYRILLIC.test(text) && !OTHER_CYRILLIC.test(text);
  return isUkrainian ? html`<bdi lang="uk">${shown}</bdi>` : html`<bdi>${shown}</bdi>`;
}
