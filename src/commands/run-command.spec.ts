import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { runCommand } from './run-command.js';

describe('a command that nobody can run', () => {
  let told: string[];

  beforeEach(() => {
    told = [];
    jest.spyOn(console, 'error').mockImplementation((text: string) => void told.push(text));
  });
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    [['bogus'], "unknown command 'bogus'"],
    [['key', 'bogus'], "unknown command 'bogus'"],
    [['key', 'list', '--bogus'], "unknown option '--bogus'"],
    [['key', 'create'], "required option '--account <name>' not specified"],
    [['backup'], "missing required argument 'file'"],
  ])('ends with 1, says what is wrong and where to look: %j', async (words, why) => {
    expect(await runCommand(words)).toBe(1);
    expect(told.join('\n')).toBe(`error: ${why}\n(--help says what there is)`);
  });
});
