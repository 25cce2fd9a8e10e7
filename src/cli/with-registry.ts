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
import { explainOutage } from '../database/connections/explain-failure.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { TimeModule } from '../platform/time/time.module.js';

@Module({})
class CommandsModule {}

type Work = (registry: INestApplicationContext) => Promise<void>;

/** Loads the configuration of a command and prints its warnings. @throws ConfigError */
export function configOfCommand(): Config {
  const config = loadConfig();
  for (const warning of config.warnings) console.error(warning);
  return config;
}

/** Runs one command against the database of DATABASE_URL, which it opens and closes. @throws DatabaseUnusableError if there is no registry */
export async function withRegistry(work: Work): Promise<void> {
  const config = configOfCommand();
  assertRegistryThere(config.databaseUrl);
  await runOn(config, opened(work));
}

/**
 * As withRegistry, for a command that may create the registry and opens the database itself. Reports a new database file, because the path
 * may be wrong.
 */
export async function withNewRegistry(work: Work): Promise<void> {
  const config = configOfCommand();
  const missing = missingRegistry(config.databaseUrl);
  try {
    await runOn(config, work);
  } finally {
    if (missing !== undefined && missingRegistry(config.databaseUrl) === undefined)
      console.error(`A new database was made at ${missing}: DATABASE_URL names a file that did not exist`);
  }
}

/** Runs `work`, which may create a database, and reports a new folder, for the same reason. */
export async function withNewFolder<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const missing = missingFolder(databaseUrl);
  try {
    return await work();
  } finally {
    if (missing !== undefined && existsSync(missing))
      console.error(`A new folder was made, ${missing}: the new database is a file in it`);
  }
}

/** Runs `work` on the database of a configuration, which it opens and closes; creates a missing SQLite file. @throws DatabaseUnusableError */
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
