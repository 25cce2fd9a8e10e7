import { describe, expect, it } from '@jest/globals';
import { preferredLanguage } from './language.js';

describe('the language of a page', () => {
  it.each([
    [undefined, 'uk'],
    ['de', 'uk'],
    ['en-GB,en;q=0.9,uk;q=0.8', 'en'],
    ['de,en;q=0.5,uk;q=0.4', 'en'],
    ['uk;q=0,en;q=0.1', 'en'],
    [';;;q=q,,', 'uk'],
  ])('for a browser that asks for %j is %s', (header, language) => {
    expect(preferredLanguage(header)).toBe(language);
  });
});
