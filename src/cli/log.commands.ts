import { rmSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { codeOf } from '../database/dialects/error-code.js';
import { API_PREFIX } from '../http/api-paths.js';
import { createPrivateFile } from '../database/files/private-file.js';
import { newLogKey } from '../log/log-keys.js';

export function addLogCommands(program: Command): void {
  const log = program
    .command('log')
    .description('the log of public states, by which others see that nothing is rewritten');
  log
    .command('init')
    .description('make a key, which signs the log; the service uses it where LOG_KEY names its file')
    .argument(
      '<name>',
      'name of the log: the host of the service, or the address of the log without https://, as registry.example.org/api/0.1/log',
    )
    .argument('<file>', 'new file for the private key')
    .addHelpText(
      'after',
      '\nTo change the key of a log, make another one of the same name, and add its line to the file of the old one: both sign.' +
        '\nTake the old line out when all who verify the log know the new key (GET /api/0.1/spore, "log").',
    )
    .action(initLog);
}

function initLog(given: string, file: string): void {
  const name = given.includes('/') ? given : `${given}/${API_PREFIX}/log`;
  const key = newLogKey(name);
  createKeyFile(file);
  try {
    writeFileSync(file, `${key}\n`);
  } catch (error) {
    // An empty one would stand in the way of the next try. What cannot be written, the system's error does not name.
    rmSync(file);
    throw Object.assign(error as Error, { path: file });
  }
  console.log(
    `${file} has the private key of ${name}. Keep it as you keep the database: whoever has it can sign another history.\n` +
      `Start the service with LOG_KEY=${file}: it records every public state, and tells the public key at /api/0.1/spore.`,
  );
}

function createKeyFile(file: string): void {
  try {
    createPrivateFile(file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new Error(`${file} is there already: a key is never overwritten`, { cause: error });
  }
}
