import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const BLOCK = /^```[^]*?^```/gm;

it.each(['contract', 'operations', 'testing'])('docs/%s.md begins with all of its sections, in their order', (page) => {
  const text = readFileSync(`docs/${page}.md`, 'utf8').replaceAll(BLOCK, '');
  const [beginning = ''] = text.split(/^## /m);
  const listed = [...beginning.matchAll(/^- \[(.+)\]\(#/gm)].map(([, title]) => title);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(listed).toEqual(sections);
});
