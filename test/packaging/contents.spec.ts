import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const BLOCK = /^```[^]*?^```/gm;

it.each(['contract', 'operations', 'testing'])('docs/%s.md begins with all of its sections, in their order', (page) => {
  const text = readFileSync(`docs/${page}.md`, 'utf8').replaceAll(BLOCK, '');
  const [beginning = ''] = text.split(/^## /m);
  const listed = [...beginning.matchAll(/^- \[(.+)\]\(#/gm)].map(([, title]) => title);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(listed).toEqual(sections);
});

it.each(['src', 'scripts', 'clients', 'test', 'bench'])('docs/architecture.md names all folders of %s/', (place) => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  const [, listed = ''] = new RegExp(`^${place}/.*\n((?: .*\n)+)`, 'm').exec(text) ?? [];
  const named = [...listed.matchAll(/^ {2}([\w-]+)\/ /gm)].map(([, name]) => name as string);
  const folders = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});
