/* npm run sbom: the production dependencies, for whoever has to know what a release is made of. */
import { writeFileSync } from 'node:fs';
import { billOfMaterials } from './bill-of-materials.ts';

const FILE = 'sbom.cdx.json';

writeFileSync(FILE, billOfMaterials('.'));
process.stdout.write(`Written: ${FILE} (CycloneDX)\n`);
