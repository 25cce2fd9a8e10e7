import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { assertConfirmed, promptAt } from './confirmation.js';

const SERVER = 'mysql://schema:secret@db1:3306,db2:3306/registry';

/** A terminal where this answer is typed. */
function typing(answer: string): { input: PassThrough & { isTTY: true }; output: PassThrough } {
  const input = Object.assign(new PassThrough(), { isTTY: true as const });
  input.write(`${answer}\n`);
  return { input, output: new PassThrough() };
}
/** A terminal that is closed without an answer. */
function closed(): { input: PassThrough & { isTTY: true }; output: PassThrough } {
  const input = Object.assign(new PassThrough(), { isTTY: true as const });
  input.end();
  return { input, output: new PassThrough() };
}
const noTerminal = { input: new PassThrough(), output: new PassThrough() };

describe('discarding the contents', () => {
  it.each([
    [SERVER, 'registry'],
    ['sqlite:data/registry.sqlite', 'registry.sqlite'],
  ])('of %s is confirmed by the name %s, with --yes or at a terminal', async (url, name) => {
    await assertConfirmed(url, name, noTerminal);
    await assertConfirmed(url, undefined, typing(name));
  });

  it.each(['registry2', 'REGISTRY', ''])('of a database that is named %j is refused', async (name) => {
    const sentence = `The database of DATABASE_URL is registry, and not "${name}": nothing was changed`;
    await expect(assertConfirmed(SERVER, name, noTerminal)).rejects.toThrow(sentence);
    await expect(assertConfirmed(SERVER, undefined, typing(name))).rejects.toThrow(sentence);
  });

  it('asks with the name, and without the password', async () => {
    const terminal = typing('registry');
    await assertConfirmed(SERVER, undefined, terminal);
    const question = String(terminal.output.read());
    expect(question).toContain('discards the contents of registry');
    expect(question).not.toContain('secret');
  });

  it('is refused when the terminal is closed', async () => {
    await expect(assertConfirmed(SERVER, undefined, closed())).rejects.toThrow('No name was given');
  });

  it('is refused without a terminal, with what to do', async () => {
    await expect(assertConfirmed(SERVER, undefined, noTerminal)).rejects.toThrow('with --yes registry');
  });
});

it('a prompt returns the trimmed answer, and undefined when the terminal is closed', async () => {
  expect(await promptAt(typing(' yes '), 'Is it so? ')).toBe('yes');
  expect(await promptAt(closed(), 'Is it so? ')).toBeUndefined();
});
