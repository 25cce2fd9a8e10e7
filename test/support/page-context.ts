import { targetOf } from '../../src/http/request-target.js';
import type { Language } from '../../src/pages/language.js';
import type { PageContext } from '../../src/pages/page-context.js';

/** A visit to `url` with a chosen language, of a registry with search and without a publisher. */
export function pageContext(language: Language, url: string): PageContext {
  return {
    language,
    hasChosen: true,
    base: 'http://registry.example',
    root: '',
    hasSearch: true,
    publisher: {},
    ...targetOf({ url }),
  };
}
