/* npm run client:types: generates the client's types from the installed asset types and those of ASSET_TYPES. */
import { writeFileSync } from 'node:fs';
import { loadAssetTypes } from '../src/asset-types/packaged-types.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { printAssetInterfaces } from './asset-interfaces.ts';

const FILE = 'clients/typescript/src/asset-types.ts';
const { installed } = await loadAssetTypes(loadConfig().assetTypes);

writeFileSync(FILE, await printAssetInterfaces(installed));
process.stdout.write(`Written: ${FILE}\n`);
