import type { AssetType } from '../src/asset-types/asset-type.ts';
import { openApiDocument } from '../src/openapi/document.ts';

/** The service's default address. */
const BASE = 'http://127.0.0.1:8080';

/** The text of the repository's copy of the document. */
export function openApiText(types: readonly AssetType[]): string {
  return `${JSON.stringify(openApiDocument(types, { base: BASE }), null, 2)}\n`;
}
