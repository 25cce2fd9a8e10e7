import { Command, CommanderError } from 'commander';
import { VERSION } from '../platform/config/version.js';
import { addAccountCommands } from './account.commands.js';
import { addAuditCommand } from './audit.command.js';
import { addBackupCommands } from './backup.commands.js';
import { addClockCommands } from './clock.commands.js';
import { addDbCommands } from './db.commands.js';
import { describeError } from './file-errors.js';
import { addDraftCommands } from './draft.commands.js';
import { addImportCommand } from './import.command.js';
import { addKeyCommands } from './key.commands.js';
import { addLogCommands } from './log.commands.js';
import { addMigrateCommand } from './migrate.command.js';
import { addRedactionCommands } from './redaction.commands.js';
import { addTokenCommands } from './token.commands.js';

/**
 * Runs one command of `registry` and prints to the console.
 * @param words the arguments after `registry`
 * @returns the exit code: 0, or 1 after printing what is wrong
 */
export async function runCommand(words: readonly string[]): Promise<number> {
  try {
    await registryProgram().parseAsync(words, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    console.error(`registry: ${describeError(error)}`);
    return 1;
  }
}

function registryProgram(): Command {
  const program = new Command('registry')
    .description(
      'Runs the asset registry; configured by the same environment variables as the service (docs/configuration.md): DATABASE_URL is its database',
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError('(--help says what there is)')
    .configureOutput({
      writeErr: (text) => console.error(text.trimEnd()),
      writeOut: (text) => console.log(text.trimEnd()),
    });
  addMigrateCommand(program);
  addKeyCommands(program);
  addAccountCommands(program);
  addTokenCommands(program);
  addRedactionCommands(program);
  addDraftCommands(program);
  addAuditCommand(program);
  addLogCommands(program);
  addClockCommands(program);
  addBackupCommands(program);
  addDbCommands(program);
  addImportCommand(program);
  return program;
}
