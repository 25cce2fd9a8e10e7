/* npm run openapi: the repository's copy of the OpenAPI document, for whoever reads the API without running it. */
import { writeFileSync } from 'node:fs';
import { openApiText } from './openapi-text.ts';

const FILE = 'openapi.json';

writeFileSync(FILE, openApiText());
process.stdout.write(`Written: ${FILE}\n`);
