import Sqlite from 'embedded-sqlite';
import { afterAll, expect, it } from '@jest/globals';
import { Random } from '../../test/support/random.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import * as builtIn from '../asset-types/installed.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { matchText } from './match.js';
import { SearchableAssets } from './searchable-assets.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const TITLES = 200;
const QUERIES = 500;
/** Letters without look-alikes in Cyrillic, and digits that are no assetID. */
const PARTS = ['d', 'f', 'df', 'fd', 'dfg', 'dfgz', 'zzzzzzzz', '2', '3', '23', '234', '35352', '2345678', '23456789'];
const SEPARATORS = ['', '', ' ', ' ', '-', '/', '"', ':', ', ', ' - ', '.'];

const random = new Random(SEED);
const searchable = new SearchableAssets(new AssetTypes(Object.values(builtIn)), new RegistryTime('Europe/Kyiv'));
const database = new Sqlite(':memory:');
afterAll(() => void database.close());

const textOf = (most: number): string =>
  Array.from({ length: random.int(1, most) }, () => random.pick(PARTS) + random.pick(SEPARATORS)).join('');

/*
 * An independent implementation of the rules, character by character. A match starts at the start of a run of letters or digits. Signs between
 * two characters of a piece are ignored, except between digits unless eight digits come before. A space is ignored between at most five letters
 * and five digits.
 */
const SHORT_LETTERS_APART = '(?<=(?<!\\p{L})\\p{L}{1,5})\\s+(?=\\d{1,5}(?!\\d))';
const SHORT_DIGITS_APART = '(?<=(?<!\\d)\\d{1,5})\\s+(?=\\p{L}{1,5}(?!\\p{L}))';
const SIGNS = '[^\\p{L}\\p{N}\\s]*';

function isFound(typed: string, title: string): boolean {
  const pieces = typed.split(' ').filter((piece) => /[\p{L}\p{N}]/u.test(piece));
  return pieces.length > 0 && pieces.every((piece) => isPieceFound(piece, title));
}

function isPieceFound(piece: string, title: string): boolean {
  const words = piece.match(/[\p{L}\p{N}]+/gu) ?? [];
  const isOne = !/(?<!\d{8}(?:[^\p{L}\p{N}]+\d+)*)(?<=\d)[^\p{L}\p{N}]+\d/u.test(piece);
  if (isOne && begins(words.join(''), title)) return true;
  const isCode = words.some((word) => word.length === 1) && /\d/.test(piece) && /[a-z]/.test(piece);
  return !(isOne && isCode) && words.every((word) => begins(word, title));
}

function begins(word: string, title: string): boolean {
  const first = word.slice(0, 20);
  const typed = /\d/.test(first) ? first : first.slice(0, 12);
  const pattern = [...typed].map((character, i) => {
    const [isDigit, wasDigit] = [/\d/.test(character), /\d/.test(typed[i - 1] ?? '')];
    if (i === 0) return isDigit ? `(?<!\\d)${character}` : `(?<!\\p{L})${character}`;
    if (isDigit !== wasDigit) return `(?:${SIGNS}|${SHORT_LETTERS_APART}|${SHORT_DIGITS_APART})${character}`;
    const mayBeApart = !isDigit || /\d{8}$/.test(typed.slice(0, i));
    return (mayBeApart ? SIGNS : '') + character;
  });
  const end = /^\d$/.test(typed) ? '(?!\\d)' : '';
  return new RegExp(pattern.join('') + end, 'u').test(title);
}

it(`finds random titles as the rules say (SEED=${SEED})`, () => {
  database.exec(
    `CREATE VIRTUAL TABLE words USING fts5(tokens, content='', detail=none, tokenize="ascii tokenchars ':'")`,
  );
  const titles = Array.from({ length: TITLES }, () => textOf(6));
  const insert = database.prepare('INSERT INTO words (rowid, tokens) VALUES (?, ?)');
  for (const [i, title] of titles.entries()) insert.run(i, tokensOf(title));
  const find = database.prepare('SELECT rowid FROM words WHERE words MATCH ?').pluck();
  let found = 0;
  for (let i = 0; i < QUERIES; i++) {
    const typed = random.chance(0.5) ? textOf(2) : cutFrom(random.pick(titles));
    const { match } = matchText(typed);
    const rows = match === undefined ? [] : (find.all(match) as number[]);
    const expected = titles.filter((title) => isFound(typed, title));
    expect([typed, rows.map((row) => titles[row])]).toEqual([typed, expected]);
    found += rows.length;
  }
  expect(found).toBeGreaterThan(QUERIES / 2);
});

/** A part of a title, with or without signs. */
function cutFrom(title: string): string {
  const from = random.int(0, title.length - 1);
  const cut = title.slice(from, from + random.int(1, 12));
  return random.chance(0.5) ? cut : cut.replaceAll(/[^a-z\d ]/g, '');
}

function tokensOf(title: string): string {
  const body = EncodedText.from(Buffer.from(JSON.stringify({ title })));
  const [id, assetId] = ['a'.repeat(32), 'UA-2016-11-10-000001'];
  const row = { id, assetId, assetType: 'basic', status: 'pending', owner: 'broker', relatedLot: null, body };
  return searchable.indexed({ ...row, createdUs: 1, modifiedUs: 2 }).terms;
}
