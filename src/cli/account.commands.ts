import type { Command } from 'commander';
import { JSON_OPTION, instantPrinter, list, type ListingOptions } from './table-output.js';
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
  account
    .command('display-name')
    .description('show an account under this name on the pages; without it, under its account name')
    .argument('<name>')
    .argument('[displayName]')
    .action(setDisplayName);
}

async function listAccounts(options: ListingOptions): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const printInstant = instantPrinter(time, options);
    const storedToday = await accounts.storedOn(time.day(Date.now() * 1_000));
    const rows = (await accounts.listAccounts()).map(({ name, role, createdUs, disabledUs, displayName }) => ({
      account: name,
      role,
      created: printInstant(createdUs),
      disabled: printInstant(disabledUs),
      bytesToday: storedToday.get(name) ?? 0,
      displayName,
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

async function setDisplayName(name: string, displayName?: string): Promise<void> {
  await withAccounts(async (accounts) => {
    await accounts.setDisplayName(name, displayName ?? null);
    console.log(
      displayName === undefined ? `${name} is shown under its account name` : `${name} is shown as ${displayName}`,
    );
  });
}
