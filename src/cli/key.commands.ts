import { type Command, Option } from 'commander';
import { loadConfig } from '../platform/config/config.js';
import { type Role, ROLES } from '../database/entities/account.entity.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { instantOf, parseDuration, secondsPrinter } from './instants.js';
import { JSON_OPTION, instantPrinter, list, type ListingOptions } from './table-output.js';
import { withAccounts, withFirstAccounts } from './with-registry.js';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys of brokers and other actors');
  key
    .command('create')
    .description('make a key, and its account if it is new')
    .requiredOption('--account <name>', 'name of the account, shown as the owner of its assets')
    .addOption(new Option('--role <role>', 'what the account may do').choices(ROLES).makeOptionMandatory())
    .option('--expires <date>', 'until when the key is accepted (ISO 8601)')
    .action(createKey);
  key
    .command('list')
    .description('all keys; the registry stores only their digests')
    .option(...JSON_OPTION)
    .action(listKeys);
  key
    .command('rotate')
    .description('make a new key for the same account, and let the old one expire')
    .argument('<id>', 'from "key list"')
    .addOption(
      new Option('--overlap <duration>', 'how long both are accepted: 30m, 12h, 7d')
        .argParser(parseDuration)
        .default(parseDuration('7d'), '7d'),
    )
    .option('--expires <date>', 'until when the new key is accepted (ISO 8601)')
    .action(rotateKey);
  key.command('revoke').description('refuse a key from now on').argument('<id>', 'from "key list"').action(revokeKey);
}

/** @returns microseconds since 1970 UTC; null for never @throws Error for an instant in the past */
function expiryOf({ expires }: { expires?: string }, time: RegistryTime): number | null {
  const us = instantOf('--expires', expires, time) ?? null;
  if (us !== null && us <= Date.now() * 1_000)
    throw new Error(`--expires is in the past (${time.print(us)}): the key would never be accepted; no key was made`);
  return us;
}

async function createKey(options: { account: string; role: Role; expires?: string }): Promise<void> {
  // Checked before the command may create a database.
  const expiresUs = expiryOf(options, new RegistryTime(loadConfig().timeZone));
  await withFirstAccounts(async (accounts) => {
    const { id, key } = await accounts.createKey(options.account, options.role, expiresUs);
    console.log(`Key ${id} of ${options.account}. It is shown this once:\n${key}`);
  });
}

async function listKeys(options: ListingOptions): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const printInstant = instantPrinter(time, options);
    const rows = (await accounts.listKeys()).map(({ id, account, createdUs, expiresUs, revokedUs, usedDay }) => ({
      key: id,
      account: account.name,
      role: account.role,
      created: printInstant(createdUs),
      expires: printInstant(expiresUs),
      revoked: printInstant(revokedUs),
      used: usedDay,
    }));
    list(rows, options);
  });
}

async function rotateKey(id: string, options: { overlap: number; expires?: string }): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const expiresUs = expiryOf(options, time);
    const newKey = await accounts.rotateKey(id, options.overlap, expiresUs);
    const print = secondsPrinter(time);
    console.log(`Key ${newKey.id} replaces ${id}, which is accepted until ${print(newKey.oldExpiresUs)}.`);
    if (expiresUs === null && newKey.previousExpiresUs !== null)
      console.log(
        `It never expires, but ${id} would have on ${print(newKey.previousExpiresUs)}: --expires sets an end.`,
      );
    console.log(`It is shown this once:\n${newKey.key}`);
  });
}

async function revokeKey(id: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.revokeKey(id);
    console.log(`Key ${id} is revoked`);
  });
}
