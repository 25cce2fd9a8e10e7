const { copyFileSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');

/*
 * Copies what the service serves of Swagger UI, with its license, beside the compiled code: 2 of the 12 MB of its package, which is installed for
 * development only.
 */

const SERVED = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const OF_ITS_LICENSE = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

const library = dirname(require.resolve('swagger-ui-dist/package.json'));
const target = '.build/service/http/swagger-ui/library';

mkdirSync(target, { recursive: true });
for (const name of [...SERVED, ...OF_ITS_LICENSE]) copyFileSync(join(library, name), join(target, name));
