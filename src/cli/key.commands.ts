import { type Command, Option } from 'commander';
import { loadConfig } from '../platform/config/config.js';
import { type Role, ROLES } from '../database/entities/account.entity.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { instantOf, parseDuration, shownIn } from './instants.js';
import { JSON_OPTION, list, listedIn, type ListingOptions } from './table-output.js';
import { withAccounts, withFirstAccounts } from './with-registry.js';

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys of brokers and other actors');
  key
    .command('create')
    .description('make a key, and its account where it is new')
    .requiredOption('--account <name>', 'name of the account, shown as the owner of its assets')
    .addOption(new Option('--role <role>', 'what the account may do').choices(ROLES).makeOptionMandatory())
    .option('--expires <date>', 'until when the key is accepted (ISO 8601)')
    .action(createKey);
  key
    .command('list')
    .description('all keys; the keys themselves are kept nowhere')
    .option(...JSON_OPTION)
    .action(listKeys);
  key
    .command('rotate')
    .description('make a new key for the same account, and let the old one expire')
    .argument('<id>', 'from "key list"')
    .addOption(
      new Option('--overlap <duration>', 'for how long both are accepted: 30m, 12h, 7d')
        .argParser(parseDuration)
        .default(parseDuration('7d'), '7d'),
    )
    .option('--expires <date>', 'until when the new key is accepted (ISO 8601)')
    .action(rotateKey);
  key.command('revoke').description('refuse a key from now on').argument('<id>', 'from "key list"').action(revokeKey);
}

/** @returns microseconds since 1970 UTC; null for never @throws Error for an instant that is over: the key would never be accepted */
function expiryOf({ expires }: { expires?: string }, time: RegistryTime): number | null {
  const us = instantOf('--expires', expires, time) ?? null;
  if (us !== null && us <= Date.now() * 1_000)
    throw new Error(`--expires is over already (${time.print(us)}): the key would never be accepted; no key was made`);
  return us;
}

async function createKey(options: { account: string; role: Role; expires?: string }): Promise<void> {
  // Before a registry may be made for it.
  const expiresUs = expiryOf(options, new RegistryTime(loadConfig().timeZone));
  await withFirstAccounts(async (accounts) => {
    const { id, key } = await accounts.createKey(options.account, options.role, expiresUs);
    console.log(`Key ${id} of ${options.account}. It is shown this once:\n${key}`);
  });
}

async function listKeys(options: ListingOptions): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const listed = listedIn(time, options);
    const rows = (await accounts.listKeys()).map(({ id, account, createdUs, expiresUs, revokedUs, usedDay }) => ({
      key: id,
      account: account.name,
      role: account.role,
      created: listed(createdUs),
      expires: listed(expiresUs),
      revoked: listed(revokedUs),
      used: usedDay,
    }));
    list(rows, options);
  });
}

async function rotateKey(id: string, options: { overlap: number; expires?: string }): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const expiresUs = expiryOf(options, time);
    const made = await accounts.rotateKey(id, options.overlap, expiresUs);
    const shown = shownIn(time);
    console.log(`Key ${made.id} takes the place of ${id}, which is accepted until ${shown(made.oldExpiresUs)}.`);
    if (expiresUs === null && made.oldEndUs !== null)
      console.log(
        `It is accepted for ever, and ${id} was until ${shown(made.oldEndUs)}: --expires gives a key an end.`,
      );
    console.log(`It is shown this once:\n${made.key}`);
  });
}

async function revokeKey(id: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.revokeKey(id);
    console.log(`Key ${id} is revoked`);
  });
}
