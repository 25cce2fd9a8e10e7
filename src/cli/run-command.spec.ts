import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
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

/** Of this command and those below, the options that a command above takes, wherever on the line they stand. */
function takenFromBelow(command: Command, above: readonly string[] = []): string[] {
  const own = command.options.map(({ long }) => long ?? '');
  const taken = own.filter((name) => above.includes(name)).map((name) => `${command.name()} ${name}`);
  return [...taken, ...command.commands.flatMap((below) => takenFromBelow(below, [...above, ...own]))];
}

it('no option is taken away from a command by one above it', async () => {
  let program: Command | undefined;
  jest.spyOn(Command.prototype, 'parseAsync').mockImplementation(function (this: Command) {
    // oxlint-disable-next-line typescript/no-this-alias -- nobody else hands it out
    program = this;
    return Promise.resolve(this);
  });
  await runCommand([]);
  jest.restoreAllMocks();
  expect(program?.commands.length).toBeGreaterThan(0);
  expect(takenFromBelow(program as Command)).toEqual([]);
});
