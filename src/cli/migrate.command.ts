import type { Command } from 'commander';
import { Database } from '../database/database.js';
import { withNewRegistry } from './with-registry.js';

export function addMigrateCommand(program: Command): void {
  program.command('migrate').description('bring the database schema up to date').action(migrate);
}

async function migrate(): Promise<void> {
  await withNewRegistry(async (registry) => {
    const done = await registry.get(Database).migrate();
    console.log(done.length === 0 ? 'The schema is up to date' : `Migrated: ${done.join(', ')}`);
  });
}
