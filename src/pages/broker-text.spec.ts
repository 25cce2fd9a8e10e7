import { expect, it } from '@jest/globals';
import { html } from './html.js';
import { brokerText } from './broker-text.js';

it.each([
  ['Земля <1>', 'en', '<bdi lang="uk">Земля &lt;1&gt;</bdi>'],
  ['Земля', 'uk', '<bdi>Земля</bdi>'],
  ['Объект', 'en', '<bdi>Объект</bdi>'],
  ['Land', 'en', '<bdi>Land</bdi>'],
] as const)('the text %s on a page in the language %s is %s', (text, language, markup) => {
  expect(brokerText(text, html`${text}`, language).text).toBe(markup);
});
