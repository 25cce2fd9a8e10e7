import { type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AccountsModule } from '../auth/accounts.module.js';
import { AccountsService } from '../auth/accounts.service.js';
import { ConfigModule } from '../config/config.module.js';
import { loadConfig } from '../config/config.js';
import { Database } from '../database/database.js';
import { DatabaseModule } from '../database/database.module.js';
import { RegistryTime } from '../time/registry-time.js';
import { TimeModule } from '../time/time.module.js';

@Module({})
class CommandsModule {}

/** Runs one command against the database that the environment names, and closes it. */
export async function withRegistry(work: (registry: INestApplicationContext) => Promise<void>): Promise<void> {
  const imports = [ConfigModule.with(loadConfig()), TimeModule, DatabaseModule, AccountsModule];
  const registry = await NestFactory.createApplicationContext(
    { module: CommandsModule, imports },
    { logger: false, abortOnError: false },
  );
  try {
    await work(registry);
  } finally {
    await registry.close();
  }
}

/** The same for what is done with accounts, keys and tokens. */
export function withAccounts(work: (accounts: AccountsService, time: RegistryTime) => Promise<void>): Promise<void> {
  return withRegistry(async (registry) => {
    await registry.get(Database).open();
    await work(registry.get(AccountsService), registry.get(RegistryTime));
  });
}
