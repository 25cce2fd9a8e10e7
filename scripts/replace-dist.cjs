const {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { join, relative } = require('node:path');

/*
 * Replaces dist/ by a copy of the compiled files, as the last step of a build. Another build may do the same concurrently: each uses a separate
 * folder, and no file is written inside dist/. Compiled files whose source was deleted are not copied.
 */

const COMPILED = '.build/service';
/** Folders of dist/ whose sources are outside of src/. */
const OTHER_SOURCES = [
  ['demo', 'clients/demo/src'],
  ['http/swagger-ui/library', 'node_modules/swagger-ui-dist'],
];
const ENDINGS_OF_COMPILED = /\.(js|js\.map|d\.ts)$/;

// Errors if a concurrent build has placed or removed its folder between two steps of this one.
const IS_THERE = ['ENOTEMPTY', 'EEXIST'];
const IS_AWAY = ['ENOENT'];

const own = mkdtempSync('.build/dist-');
try {
  cpSync(COMPILED, join(own, 'new'), { recursive: true, filter: hasSource });
  moveMaps(join(own, 'new'));
  for (let former = 0; !rename(join(own, 'new'), 'dist', IS_THERE); former++)
    rename('dist', join(own, `former-${former}`), IS_AWAY);
} finally {
  rmSync(own, { recursive: true });
}

function hasSource(path) {
  const name = relative(COMPILED, path);
  const [inDist, folder] = OTHER_SOURCES.find(([start]) => name === start || name.startsWith(`${start}/`)) ?? [
    '',
    'src',
  ];
  const source = join(folder, relative(inDist, name));
  return existsSync(source) || existsSync(source.replace(ENDINGS_OF_COMPILED, '.ts'));
}

/** A source map contains the relative path of its source, which is one step shorter from dist/. */
function moveMaps(folder) {
  const maps = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.js.map'));
  for (const path of maps.map((name) => join(folder, name)))
    writeFileSync(path, readFileSync(path, 'utf8').replace('"sources":["../', '"sources":["'));
}

function rename(from, to, refusals) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (!refusals.includes(error.code)) throw error;
    return false;
  }
}
