import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const BLOCK = /^```[^]*?^```/gm;

it.each(['contract', 'testing'])('docs/%s.md begins with all of its sections, in their order', (page) => {
  const text = readFileSync(`docs/${page}.md`, 'utf8').replaceAll(BLOCK, '');
  const [beginning = ''] = text.split(/^## /m);
  const listed = [...beginning.matchAll(/^- \[(.+)\]\(#/gm)].map(([, title]) => title);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(listed).toEqual(sections);
});

it('docs/operations/README.md lists all pages of its folder', () => {
  const text = readFileSync('docs/operations/README.md', 'utf8');
  const listed = [...text.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page);
  expect(new Set(['README.md', ...listed])).toEqual(new Set(readdirSync('docs/operations')));
});

it.each(['src', 'scripts', 'clients', 'test', 'bench'])('docs/architecture.md names all folders of %s/', (place) => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  const [, listed = ''] = new RegExp(`^${place}/.*\n((?: .*\n)+)`, 'm').exec(text) ?? [];
  const named = [...listed.matchAll(/^ {2}([\w-]+)\/ /gm)].map(([, name]) => name as string);
  const folders = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(named.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

const ROOMS = readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** Files that are named in a text and are not there. @param places where each may be, from the root of the repository */
function missingFiles(text: string, path: RegExp, places: readonly string[]): string[] {
  const named = [...text.matchAll(path)].map(([name]) => name);
  return named.filter((name) => places.every((place) => !existsSync(place + name)));
}

it.each(ROOMS.map(({ name }) => name))('src/%s/README.md says what it may import and where to begin', (room) => {
  const text = readFileSync(`src/${room}/README.md`, 'utf8');
  expect(text).toMatch(new RegExp(`^# ${room}\\n[^]*\\*\\*May import\\*\\*[^]*\\*\\*Begin with\\*\\*`));
  expect(missingFiles(text, /(?<=`)[\w./-]+\.ts(?=`)/g, [`src/${room}/`, 'src/', ''])).toEqual([]);
});

it('docs/architecture.md names files that are there', () => {
  const text = readFileSync('docs/architecture.md', 'utf8');
  expect(missingFiles(text, /(?<![\w./-])[\w-]+(?:\/[\w.-]+)+\.ts\b/g, ['src/', ''])).toEqual([]);
});
