#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { addCopy } from './commands/copy.command.js';
import { addStatus } from './commands/status.command.js';
import { addVerify } from './commands/verify.command.js';
import { EXIT, SyncError } from './sync-error.js';
import { VERSION } from './version.js';

const end = new AbortController();
// Once: who asks again does not want to wait for what is being written.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());

const program = new Command('registry-sync')
  .description('Keeps a local copy of an asset registry, and proves that it is complete')
  .version(VERSION)
  .exitOverride()
  .showHelpAfterError('(--help says what there is)');
addCopy(program, end.signal);
addVerify(program, end.signal);
addStatus(program, end.signal);
for (const command of program.commands) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  } else {
    process.stderr.write(`registry-sync: ${end.signal.aborted ? 'stopped' : (error as Error).message}\n`);
    process.exitCode = error instanceof SyncError ? error.exitCode : EXIT.failed;
  }
}
