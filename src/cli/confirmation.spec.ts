import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { answerTo, assertConfirmed } from './confirmation.js';

const SERVER = 'mysql://schema:secret@db1:3306,db2:3306/registry';

/** Somebody at a terminal, who answers so. */
function typing(answer: string): { input: PassThrough & { isTTY: true }; output: PassThrough } {
  const input = Object.assign(new PassThrough(), { isTTY: true as const });
  input.write(`${answer}\n`);
  return { input, output: new PassThrough() };
}
/** Somebody who closes the terminal instead. */
function leaving(): { input: PassThrough & { isTTY: true }; output: PassThrough } {
  const input = Object.assign(new PassThrough(), { isTTY: true as const });
  input.end();
  return { input, output: new PassThrough() };
}
const nobody = { input: new PassThrough(), output: new PassThrough() };

describe('throwing data away', () => {
  it.each([
    [SERVER, 'registry'],
    ['sqlite:data/registry.sqlite', 'registry.sqlite'],
  ])('of %s goes on when %s is named, by --yes or at a terminal', async (url, name) => {
    await assertConfirmed(url, name, nobody);
    await assertConfirmed(url, undefined, typing(name));
  });

  it.each(['registry2', 'REGISTRY', ''])('of a database that is named %j is refused', async (name) => {
    const sentence = `The database of DATABASE_URL is registry, and not "${name}": nothing was changed`;
    await expect(assertConfirmed(SERVER, name, nobody)).rejects.toThrow(sentence);
    await expect(assertConfirmed(SERVER, undefined, typing(name))).rejects.toThrow(sentence);
  });

  it('asks with the name, and without the password', async () => {
    const terminal = typing('registry');
    await assertConfirmed(SERVER, undefined, terminal);
    const asked = String(terminal.output.read());
    expect(asked).toContain('throws away what is in registry');
    expect(asked).not.toContain('secret');
  });

  it('is refused when the terminal is closed instead', async () => {
    await expect(assertConfirmed(SERVER, undefined, leaving())).rejects.toThrow('No name was given');
  });

  it('is refused where nobody can be asked, with what to do', async () => {
    await expect(assertConfirmed(SERVER, undefined, nobody)).rejects.toThrow('with --yes registry');
  });
});

it('a question has the answer that is typed, and none where the terminal is closed instead', async () => {
  expect(await answerTo('Is it so? ', typing(' yes '))).toBe('yes');
  expect(await answerTo('Is it so? ', leaving())).toBeUndefined();
});
