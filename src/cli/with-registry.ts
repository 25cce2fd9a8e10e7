import { existsSync } from 'node:fs';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountsModule } from '../auth/accounts.module.js';
import { AccountsService } from '../auth/accounts.service.js';
import { ConfigModule } from '../platform/config/config.module.js';
import { type Config, loadConfig } from '../platform/config/config.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { assertRegistryThere, missingFolder, missingRegistry } from '../database/dialects/sqlite/registry-file.js';
import { explainOutage } from '../database/connections/unusable-database.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { TimeModule } from '../platform/time/time.module.js';

@Module({})
class CommandsModule {}

type Work = (registry: INestApplicationContext) => Promise<void>;

/** Loads the configuration for a command, and prints what is wrong with names of variables. @throws ConfigError */
export function configOfCommand(): Config {
  const config = loadConfig();
  for (const warning of config.warnings) console.error(warning);
  return config;
}

/** Runs one command against the database that the environment names: opens it, and closes it. @throws DatabaseUnusableError where there is none */
export async function withRegistry(work: Work): Promise<void> {
  const config = configOfCommand();
  assertRegistryThere(config.databaseUrl);
  await runOn(config, opened(work));
}

/**
 * As withRegistry, for a command that may be a registry's first, and opens the database itself. Tells of a database file that it makes, as
 * the path may be a wrong one.
 */
export async function withNewRegistry(work: Work): Promise<void> {
  const config = configOfCommand();
  const missing = missingRegistry(config.databaseUrl);
  try {
    await runOn(config, work);
  } finally {
    if (missing !== undefined && missingRegistry(config.databaseUrl) === undefined)
      console.error(`A new database was made at ${missing}: DATABASE_URL names that file, and there was none`);
  }
}

/** Does `work` that makes a database: where a folder is made for its file, that is told, for the same reason. */
export async function withNewFolder<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const missing = missingFolder(databaseUrl);
  try {
    return await work();
  } finally {
    if (missing !== undefined && existsSync(missing))
      console.error(`A new folder was made, ${missing}: the new database is a file in it, and there was none`);
  }
}

/** Opens the database that a configuration names, makes it where it is a file and missing, and closes it. @throws DatabaseUnusableError */
export function onDatabaseOf(config: Config, work: Work): Promise<void> {
  return runOn(config, opened(work));
}

async function runOn(config: Config, work: Work): Promise<void> {
  const imports = [ConfigModule.with(config), TimeModule, DatabaseModule, AccountsModule];
  const registry = await NestFactory.createApplicationContext(
    { module: CommandsModule, imports },
    { logger: false, abortOnError: false },
  );
  const { dialect } = registry.get(Database);
  try {
    await explainOutage(dialect, 'The database of DATABASE_URL', () => work(registry));
  } finally {
    await registry.close();
  }
}

/** As withRegistry, for work on accounts, keys and tokens. */
export function withAccounts(work: WorkOnAccounts): Promise<void> {
  return withRegistry((registry) => onAccounts(registry, work));
}

/** As withNewRegistry, for work on accounts and keys that may be the registry's first. */
export function withFirstAccounts(work: WorkOnAccounts): Promise<void> {
  return withNewRegistry(opened((registry) => onAccounts(registry, work)));
}

type WorkOnAccounts = (accounts: AccountsService, time: RegistryTime) => Promise<void>;

function onAccounts(registry: INestApplicationContext, work: WorkOnAccounts): Promise<void> {
  return work(registry.get(AccountsService), registry.get(RegistryTime));
}

function opened(work: Work): Work {
  return async (registry) => {
    await registry.get(Database).open();
    await work(registry);
  };
}
