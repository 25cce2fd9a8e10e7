import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { linesOf, type NumberedLine } from './json-lines.js';

const folder = mkdtempSync(join(tmpdir(), 'json-lines-'));
const file = join(folder, 'assets.jsonl');

afterAll(() => rmSync(folder, { recursive: true }));

async function read(content: string | Buffer): Promise<NumberedLine[]> {
  writeFileSync(file, content);
  const lines: NumberedLine[] = [];
  for await (const line of linesOf(file)) lines.push(line);
  return lines;
}

it('reads lines of any chunk, numbers empty ones, and ignores a byte order mark', async () => {
  const long = 'ї'.repeat(100_000);
  expect(await read(`\ufeffa\n\n${long}\r\nlast`)).toEqual([
    { number: 1, text: 'a', isUtf8: true },
    { number: 3, text: `${long}\r`, isUtf8: true },
    { number: 4, text: 'last', isUtf8: true },
  ]);
});

it('marks a line that is not UTF-8', async () => {
  expect((await read(Buffer.from([0x61, 0x0a, 0xff, 0x0a]))).map(({ isUtf8 }) => isUtf8)).toEqual([true, false]);
});

it('ends at a line that is much larger than an asset', async () => {
  await expect(read(`a\n${' '.repeat(17 * 1024 * 1024)}`)).rejects.toThrow('must be JSON lines');
});
