/* npm run openapi: writes the repository's copy of the OpenAPI document, with the types of ASSET_TYPES, for readers who don't run the service. */
import { renameSync, writeFileSync } from 'node:fs';
import { loadAssetTypes } from '../src/asset-types/packaged-types.ts';
import { loadConfig } from '../src/platform/config/config.ts';
import { openApiText } from './openapi-text.ts';

const FILE = 'openapi.json';
const { installed } = await loadAssetTypes(loadConfig().assetTypes);

// Renamed, so that no reader sees half of it.
writeFileSync(`${FILE}.new`, openApiText(installed));
renameSync(`${FILE}.new`, FILE);
process.stdout.write(`Written: ${FILE}\n`);
