import type { Command } from 'commander';
import { withAccounts } from './with-registry.js';

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('owner tokens of assets');
  token
    .command('reissue')
    .description('give an asset a new owner token, where the old one was lost')
    .argument('<asset>', 'its id or assetID')
    .action(reissueToken);
}

async function reissueToken(asset: string): Promise<void> {
  await withAccounts(async (accounts) => {
    const token = await accounts.reissueToken(asset);
    console.log(`The old owner token of ${asset} is refused from now on. The new one is shown this once:\n${token}`);
  });
}
