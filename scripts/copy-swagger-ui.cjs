const { copyFileSync, mkdirSync } = require('node:fs');
const { dirname, join } = require('node:path');

/*
 * Copies the served files of Swagger UI, with its license, into the compiled service: 2 of the 12 MB of its package, which is a development
 * dependency.
 */

const SERVED = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];
const OF_ITS_LICENSE = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'];

const library = dirname(require.resolve('swagger-ui-dist/package.json'));
const target = '.build/service/http/swagger-ui/library';

mkdirSync(target, { recursive: true });
for (const name of [...SERVED, ...OF_ITS_LICENSE]) copyFileSync(join(library, name), join(target, name));
