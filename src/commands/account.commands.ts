import type { Command } from 'commander';
import { JSON_OPTION, list, listedIn, type ListingOptions } from './listing.js';
import { withAccounts } from './with-registry.js';

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('who may write');
  account
    .command('list')
    .description('all accounts')
    .option(...JSON_OPTION)
    .action(listAccounts);
  account.command('disable').description('refuse all keys of an account').argument('<name>').action(disableAccount);
  account.command('enable').description('accept its keys again').argument('<name>').action(enableAccount);
}

async function listAccounts(options: ListingOptions): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const listed = listedIn(time, options);
    const rows = (await accounts.listAccounts()).map(({ name, role, createdUs, disabledUs }) => ({
      account: name,
      role,
      created: listed(createdUs),
      disabled: listed(disabledUs),
    }));
    list(rows, options);
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
