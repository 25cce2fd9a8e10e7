import { type Html, html } from './html.js';
import type { Language } from './language.js';

const CYRILLIC = /\p{Script=Cyrillic}/u;
/** Letters that Ukrainian does not have. */
const OTHER_CYRILLIC = /[ыэёъўџћђљњ]/iu;

/** A text of a broker, apart from what stands beside it; on an English page it is marked as Ukrainian where it is, for those who have it read aloud. */
export function written(text: string, shown: Html, language: Language): Html {
  const isUkrainian = language !== 'uk' && CYRILLIC.test(text) && !OTHER_CYRILLIC.test(text);
  return isUkrainian ? html`<bdi lang="uk">${shown}</bdi>` : html`<bdi>${shown}</bdi>`;
}
