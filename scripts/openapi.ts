/* npm run openapi: the repository's copy of the OpenAPI document, for whoever reads the API without running it; with the types of ASSET_TYPES. */
import { renameSync, writeFileSync } from 'node:fs';
import { loadAssetTypes } from '../src/asset-types/packaged-types.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { openApiText } from './openapi-text.ts';

const FILE = 'openapi.json';
const { installed } = await loadAssetTypes(loadConfig().assetTypes);

// Nobody who reads it meanwhile sees half of it.
writeFileSync(`${FILE}.new`, openApiText(installed));
renameSync(`${FILE}.new`, FILE);
process.stdout.write(`Written: ${FILE}\n`);
