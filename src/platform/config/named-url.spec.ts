import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { namedUrl } from './named-url.js';

describe('a database URL on a command line', () => {
  const url = 'mysql://user:secret@host/db';
  let folder: string;

  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'named-url-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is given directly, in an environment variable or in a file', () => {
    const file = join(folder, 'url');
    writeFileSync(file, `${url}\n`);
    const env = { OTHER_URL: url };
    expect([url, 'env:OTHER_URL', `file:${file}`].map((text) => namedUrl(text, env))).toEqual([url, url, url]);
  });

  it('is reported as missing with the name of the variable or the file', () => {
    expect(() => namedUrl('env:OTHER_URL', {})).toThrow('There is no environment variable OTHER_URL');
    expect(() => namedUrl(`file:${folder}/none`, {})).toThrow(`${folder}/none`);
    writeFileSync(join(folder, 'empty'), '\n');
    expect(() => namedUrl(`file:${folder}/empty`, {})).toThrow('is empty');
  });
});
