#!/usr/bin/env node
import 'reflect-metadata';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command, InvalidArgumentError, Option } from 'commander';
import { AccountsService } from './auth/accounts.service.js';
import { AccountsModule } from './auth/accounts.module.js';
import { ConfigModule } from './config/config.module.js';
import { loadConfig } from './config/config.js';
import { Database } from './database/database.js';
import { DatabaseModule } from './database/database.module.js';
import { type Role, ROLES } from './database/entities/account.entity.js';
import { RegistryTime } from './time/registry-time.js';
import { TimeModule } from './time/time.module.js';

@Module({})
class CliModule {}

/** Runs one command against the database that the environment names, and closes it. */
async function withRegistry(work: (registry: INestApplicationContext) => Promise<void>): Promise<void> {
  const imports = [ConfigModule.with(loadConfig()), TimeModule, DatabaseModule, AccountsModule];
  const registry = await NestFactory.createApplicationContext(
    { module: CliModule, imports },
    { logger: false, abortOnError: false },
  );
  try {
    await work(registry);
  } finally {
    await registry.close();
  }
}

const withAccounts = (work: (accounts: AccountsService, time: RegistryTime) => Promise<void>): Promise<void> =>
  withRegistry(async (registry) => {
    await registry.get(Database).open();
    await work(registry.get(AccountsService), registry.get(RegistryTime));
  });

async function migrate(): Promise<void> {
  await withRegistry(async (registry) => {
    const done = await registry.get(Database).migrate();
    console.log(done.length === 0 ? 'The schema is up to date' : `Migrated: ${done.join(', ')}`);
  });
}

/** @returns microseconds since 1970 UTC; null for never */
function expiryOf({ expires }: { expires?: string }, time: RegistryTime): number | null {
  const expiresUs = expires === undefined ? null : time.parse(expires);
  if (expiresUs === undefined) throw new Error('--expires is an ISO 8601 date, or date and time');
  return expiresUs;
}

async function createKey(options: { account: string; role: Role; expires?: string }): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const { id, key } = await accounts.createKey(options.account, options.role, expiryOf(options, time));
    console.log(`Key ${id} of ${options.account}. It is shown this once:\n${key}`);
  });
}

const shownIn =
  (time: RegistryTime) =>
  (us: number | null): string =>
    us === null ? '' : time.print(us).slice(0, 19);

async function listAccounts(): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const shown = shownIn(time);
    console.table(
      (await accounts.listAccounts()).map(({ name, role, createdUs, disabledUs }) => ({
        account: name,
        role,
        created: shown(createdUs),
        disabled: shown(disabledUs),
      })),
    );
  });
}

async function disableAccount(name: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.disableAccount(name);
    console.log(`All keys of ${name} are refused from now on`);
  });
}

async function enableAccount(name: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.enableAccount(name);
    console.log(`The keys of ${name} are accepted again`);
  });
}

async function listKeys(): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const shown = shownIn(time);
    console.table(
      (await accounts.listKeys()).map(({ id, account, createdUs, expiresUs, revokedUs }) => ({
        key: id,
        account: account.name,
        role: account.role,
        created: shown(createdUs),
        expires: shown(expiresUs),
        revoked: shown(revokedUs),
      })),
    );
  });
}

async function revokeKey(id: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.revokeKey(id);
    console.log(`Key ${id} is revoked`);
  });
}

async function rotateKey(id: string, options: { overlap: number; expires?: string }): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const made = await accounts.rotateKey(id, options.overlap, expiryOf(options, time));
    const until = time.print(made.oldExpiresUs).slice(0, 19);
    console.log(`Key ${made.id} takes the place of ${id}, which is accepted until ${until}.`);
    console.log(`It is shown this once:\n${made.key}`);
  });
}

async function reissueToken(asset: string): Promise<void> {
  await withAccounts(async (accounts) => {
    const token = await accounts.reissueToken(asset);
    console.log(`The old owner token of ${asset} is refused from now on. The new one is shown this once:\n${token}`);
  });
}

const UNITS_S: Record<string, number> = { m: 60, h: 3_600, d: 86_400 };

/** @returns microseconds */
function parseDuration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const seconds = UNITS_S[unit];
  if (seconds === undefined) throw new InvalidArgumentError('It is a number of minutes, hours or days: 30m, 12h, 7d.');
  return Number(count) * seconds * 1_000_000;
}

const program = new Command('registry').description(
  'Runs the asset registry; the environment configures it as it does the service',
);
program.command('migrate').description('bring the database schema up to date').action(migrate);

const key = program.command('key').description('API keys of brokers and other actors');
key
  .command('create')
  .description('make a key, and its account where it is new')
  .requiredOption('--account <name>', 'name of the account, shown as the owner of its assets')
  .addOption(new Option('--role <role>', 'what the account may do').choices(ROLES).makeOptionMandatory())
  .option('--expires <date>', 'until when the key is accepted (ISO 8601)')
  .action(createKey);
key.command('list').description('all keys; the keys themselves are kept nowhere').action(listKeys);
key.command('revoke').description('refuse a key from now on').argument('<id>', 'from "key list"').action(revokeKey);

key
  .command('rotate')
  .description('make a new key for the same account, and let the old one expire')
  .argument('<id>', 'from "key list"')
  .option('--overlap <duration>', 'for how long both are accepted: 30m, 12h, 7d', parseDuration, parseDuration('7d'))
  .option('--expires <date>', 'until when the new key is accepted (ISO 8601)')
  .action(rotateKey);

const account = program.command('account').description('who may write');
account.command('list').description('all accounts').action(listAccounts);
account.command('disable').description('refuse all keys of an account').argument('<name>').action(disableAccount);
account.command('enable').description('accept its keys again').argument('<name>').action(enableAccount);

const token = program.command('token').description('owner tokens of assets');
token
  .command('reissue')
  .description('give an asset a new owner token, where the old one was lost')
  .argument('<asset>', 'its id or assetID')
  .action(reissueToken);

try {
  await program.parseAsync();
} catch (error) {
  console.error(`registry: ${(error as Error).message}`);
  process.exitCode = 1;
}
