import * as installed from '../src/asset-types/installed.ts';
import { openApiDocument } from '../src/openapi/document.ts';

/** Where the service is by default. */
const BASE = 'http://127.0.0.1:8080';

/** The repository's copy of the document: that of the installed types. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(Object.values(installed), { base: BASE }), null, 2)}\n`;
}
