import { Command, CommanderError } from 'commander';
import { addCopy } from './commands/copy.command.js';
import { addStatus } from './commands/status.command.js';
import { addVerify } from './commands/verify.command.js';
import { printable } from './printable.js';
import { EXIT, type ExitCode, SyncError } from './sync-error.js';
import { VERSION } from './version.js';

const EXAMPLES = `
Examples:
  registry-sync https://registry.example --to sqlite:assets.db
  registry-sync verify https://registry.example sqlite:assets.db
  registry-sync status sqlite:assets.db

The options of each command: registry-sync help copy
`;

/**
 * Runs one command of `registry-sync`. Results go to standard output, errors to standard error.
 * @param words the arguments
 * @param signal ends the command after the write in progress
 * @returns the exit code
 */
export async function runCommand(words: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  const program = new Command('registry-sync')
    .description('Keeps a local copy of an asset registry, and proves that it is complete')
    .version(VERSION)
    .addHelpText('after', EXAMPLES)
    .exitOverride()
    .showHelpAfterError('(--help lists all)');
  addCopy(program, signal);
  let code: ExitCode = EXIT.done;
  addVerify(program, signal, (found) => (code = found));
  addStatus(program, signal);
  for (const command of program.commands)
    command.exitOverride().showHelpAfterError(`(registry-sync help ${command.name()} lists all)`);
  try {
    refuseUnknown(program, words[0]);
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    process.stderr.write(`registry-sync: ${signal.aborted ? 'stopped' : printable((error as Error).message)}\n`);
    return error instanceof SyncError ? error.exitCode : EXIT.failed;
  }
}

/** Refuses a misspelt command, which would be read as the address of a registry. @throws CommanderError */
function refuseUnknown(program: Command, word = ''): void {
  const names = program.commands.map((command) => command.name());
  if (!/^[a-z]+$/i.test(word) || [...names, 'help'].includes(word)) return;
  program.error(
    `error: unknown command ${word}; the commands are ${names.join(', ')}, and the address of a registry begins with http:// or https://`,
    { exitCode: EXIT.usage },
  );
}
