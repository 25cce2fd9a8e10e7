import type { Command } from 'commander';
import { withAccounts } from './with-registry.js';

export function addTokenCommands(program: Command): void {
  const token = program
    .command('token')
    .description('owner tokens of assets, and codes that transfer them to another broker');
  token
    .command('reissue')
    .description('replace a lost owner token of an asset')
    .argument('<asset>', 'its id or assetID')
    .action(reissueToken);
  token
    .command('transfer')
    .description('issue a code with which another broker takes an asset over')
    .argument('<asset>', 'its id or assetID')
    .addHelpText(
      'after',
      '\nThe broker sends the code with its own key: POST /api/0.1/assets/{id}/ownership {"access": {"transfer": CODE}}.' +
        '\nThe code is accepted once, for 30 days, while the asset is in a state that its owner may change; a new one replaces it.',
    )
    .action(transferAsset);
}

async function reissueToken(asset: string): Promise<void> {
  await withAccounts(async (accounts) => {
    const token = await accounts.reissueToken(asset);
    console.log(`The old owner token of ${asset} is refused from now on. The new one is shown this once:\n${token}`);
  });
}

async function transferAsset(asset: string): Promise<void> {
  await withAccounts(async (accounts, time) => {
    const { code, expiresUs } = await accounts.issueTransferCode(asset);
    console.log(
      `With this code another broker takes ${asset} over, once, until ${time.print(expiresUs)}. ` +
        `An earlier one is refused from now on. It is shown this once:\n${code}`,
    );
  });
}
