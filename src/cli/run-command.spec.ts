import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { runCommand } from './run-command.js';

describe('an invalid command line', () => {
  let printed: string[];

  beforeEach(() => {
    printed = [];
    jest.spyOn(console, 'error').mockImplementation((text: string) => void printed.push(text));
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
    expect(printed.join('\n')).toBe(`error: ${why}\n(--help says what there is)`);
  });
});

/** @returns options of this command and its subcommands that a parent command has too, and would take wherever they are on the line */
function shadowedOptions(command: Command, above: readonly string[] = []): string[] {
  const own = command.options.map(({ long }) => long ?? '');
  const shadowed = own.filter((name) => above.includes(name)).map((name) => `${command.name()} ${name}`);
  return [...shadowed, ...command.commands.flatMap((below) => shadowedOptions(below, [...above, ...own]))];
}

it('no command shadows an option of its subcommands', async () => {
  let program: Command | undefined;
  jest.spyOn(Command.prototype, 'parseAsync').mockImplementation(function (this: Command) {
    // oxlint-disable-next-line typescript/no-this-alias -- there is no other way to get the program
    program = this;
    return Promise.resolve(this);
  });
  await runCommand([]);
  jest.restoreAllMocks();
  expect(program?.commands.length).toBeGreaterThan(0);
  expect(shadowedOptions(program as Command)).toEqual([]);
});
