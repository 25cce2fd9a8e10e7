/* npm run client:types: the types of the client, from the installed asset types. */
import { writeFileSync } from 'node:fs';
import * as installed from '../src/asset-types/installed.ts';
import { printAssetInterfaces } from './asset-interfaces.ts';

const FILE = 'clients/typescript/src/asset-types.ts';

writeFileSync(FILE, await printAssetInterfaces(Object.values(installed)));
process.stdout.write(`Written: ${FILE}\n`);
