/* npm run openapi: the repository's copy of the OpenAPI document, for whoever reads the API without running it. */
import { renameSync, writeFileSync } from 'node:fs';
import { openApiText } from './openapi-text.ts';

const FILE = 'openapi.json';

// Nobody who reads it meanwhile sees half of it.
writeFileSync(`${FILE}.new`, openApiText());
renameSync(`${FILE}.new`, FILE);
process.stdout.write(`Written: ${FILE}\n`);
