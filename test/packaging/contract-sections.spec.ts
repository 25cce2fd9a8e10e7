import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const FOLDERS = ['src', 'test', 'clients', 'bench', 'scripts', 'docs'];
const FILES = ['README.md', 'CONTRIBUTING.md', 'ormconfig.ts'];
/** Built or installed files. */
const NOT_OURS = /(?:^|[/\\])(?:node_modules|dist)[/\\]/;
const SOURCE_OR_PAGE = /\.(?:ts|js|json|md|sql|yaml|yml)$/;
/** Cites the contract, unless an RFC is named before it. */
const CITATION = /(?<!\bRFC \d+,? )\b[Ss]ection(?: \d+|s \d+(?:(?:, | and | to )\d+)*)/g;
/** A link of Markdown counts as its text, and the end of a line of a comment as a space. */
const LINK = /\[([^\][]*)\]\([^()\s]*\)/g;
const LINE_END = /\s*\n[ \t]*(?:\*(?!\/)|\/\/)?[ \t]*/g;

function citedIn(text: string): number[] {
  const prose = text.replaceAll(LINK, '$1').replaceAll(LINE_END, ' ');
  return (prose.match(CITATION) ?? []).flatMap((citation) => citation.match(/\d+/g) ?? []).map(Number);
}

function headingsOf(page: string): number[] {
  return [...page.matchAll(/^## (\d+)\. /gm)].map(([, number]) => Number(number));
}

function filesOfProject(): string[] {
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return [...FILES, ...inFolders].filter((path) => SOURCE_OR_PAGE.test(path) && !NOT_OURS.test(path));
}

describe('a section of the contract', () => {
  it.each([
    ['sections 1, 5 and 10', [1, 5, 10]],
    ['section 8, 429', [8]],
    ['[section 4](#4-read), sections [2](#2) and [7](#7)', [4, 2, 7]],
    [' * as the contract, section\n * 6, says', [6]],
    ['RFC 7396, section 2, and RFC 9110 section 14', []],
  ])('is cited by %j', (text, numbers) => expect(citedIn(text)).toEqual(numbers));

  it('exists wherever it is cited', () => {
    const there = new Set(headingsOf(readFileSync('docs/contract.md', 'utf8')));
    const cited = filesOfProject().map((path) => ({ path, numbers: citedIn(readFileSync(path, 'utf8')) }));
    const lost = cited.flatMap(({ path, numbers }) =>
      numbers.filter((number) => !there.has(number)).map((number) => `${path} cites section ${number}`),
    );
    expect(lost).toEqual([]);
    // Guards against an expression that finds no citation.
    expect(cited.filter(({ numbers }) => numbers.length > 0).length).toBeGreaterThan(20);
  });

  it('is numbered from 1 in order', () => {
    const numbers = headingsOf(readFileSync('docs/contract.md', 'utf8'));
    expect(numbers.length).toBeGreaterThanOrEqual(10);
    expect(numbers[0]).toBe(1);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });
});
