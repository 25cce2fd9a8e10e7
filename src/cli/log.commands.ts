import { rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { codeOf } from '../database/dialects/error-code.js';
import { API_PREFIX } from '../http/api-paths.js';
import { createPrivateFile } from '../database/files/private-file.js';
import { newLogKey } from '../log/log-keys.js';

export function addLogCommands(program: Command): void {
  const log = program.command('log').description('the log of public states, which proves that none is rewritten');
  log
    .command('init')
    .description('make a key that signs the log; the service reads it from the file in LOG_KEY')
    .argument(
      '<name>',
      'name of the log: the host of the service, or the URL of the log without https://, such as registry.example.org/api/0.1/log',
    )
    .argument('<file>', 'new file for the private key')
    .addHelpText(
      'after',
      '\nTo change the key of a log, make another one of the same name, and add its line to the file of the old one: both sign.' +
        '\nRemove the old line when all verifiers of the log have the new key (GET /api/0.1/spore, "log").',
    )
    .action(initLog);
}

function initLog(hostOrName: string, file: string): void {
  const name = hostOrName.includes('/') ? hostOrName : `${hostOrName}/${API_PREFIX}/log`;
  const key = newLogKey(name);
  createKeyFile(file);
  try {
    writeFileSync(file, `${key}\n`);
  } catch (error) {
    // An empty file would block the next attempt. The system's error does not name the file.
    rmSync(file);
    throw Object.assign(error as Error, { path: file });
  }
  console.log(
    `${file} has the private key of ${name}. Keep it as you keep the database: anyone who has it can sign another history.\n` +
      `Start the service with LOG_KEY=${file}: it records every public state, and publishes the public key at /api/0.1/spore.`,
  );
}

function createKeyFile(file: string): void {
  try {
    createPrivateFile(file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new Error(`${file} exists: a key is never overwritten`, { cause: error });
  }
}
