/* npm run sbom: writes the software bill of materials of the production dependencies. */
import { writeFileSync } from 'node:fs';
import { billOfMaterials } from './bill-of-materials.ts';

const FILE = 'sbom.cdx.json';

writeFileSync(FILE, billOfMaterials('.'));
process.stdout.write(`Written: ${FILE} (CycloneDX)\n`);
