import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeError } from './file-errors.js';

describe('the description of an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'file-fault-'));
  const file = join(folder, 'file');

  beforeAll(() => writeFileSync(file, 'a'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const described = (path: string, flags: string): string => {
    try {
      openSync(path, flags);
      return 'no error';
    } catch (error) {
      return describeError(error).replaceAll(folder, '');
    }
  };

  it.each([
    ['/none', 'r', '/none cannot be used: there is no such file'],
    ['/none/file', 'wx', '/none/file cannot be used: there is no folder /none'],
    ['/file/below', 'wx', '/file/below cannot be used: /file is not a folder'],
    ['', 'w', ' cannot be used: it is a folder'],
  ])('%s, opened by %s: %s', (path, flags, sentence) => {
    expect(described(folder + path, flags)).toBe(sentence);
  });

  it('is the error’s message if no file is involved', () => {
    expect(describeError(new Error('plain'))).toBe('plain');
  });

  it('refers to the list of grants when one is missing', () => {
    const denial = Object.assign(new Error('DROP command denied'), { errno: 1142 });
    expect(describeError(denial)).toBe('DROP command denied: see "Users of the database" in the documentation');
  });

  it('names the file once if the code is unknown', () => {
    const withPath = (message: string): string =>
      describeError(Object.assign(new Error(message), { code: 'E', path: 'key' }));
    expect(withPath(`EMLINK: too many links, open 'key'`)).toBe(`EMLINK: too many links, open 'key'`);
    expect(withPath('EDQUOT: disk quota exceeded, write')).toBe(
      'key cannot be used: EDQUOT: disk quota exceeded, write',
    );
  });
});
