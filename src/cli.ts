#!/usr/bin/env node
import 'reflect-metadata';
import { Command } from 'commander';
import { addAccountCommands } from './commands/account.commands.js';
import { addAuditCommand } from './commands/audit.command.js';
import { addBackupCommands } from './commands/backup.commands.js';
import { addDbCommands } from './commands/db.commands.js';
import { addKeyCommands } from './commands/key.commands.js';
import { addMigrateCommand } from './commands/migrate.command.js';
import { addTokenCommands } from './commands/token.commands.js';

const program = new Command('registry').description(
  'Runs the asset registry; the environment configures it as it does the service',
);
addMigrateCommand(program);
addKeyCommands(program);
addAccountCommands(program);
addTokenCommands(program);
addAuditCommand(program);
addBackupCommands(program);
addDbCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  console.error(`registry: ${(error as Error).message}`);
  process.exitCode = 1;
}
