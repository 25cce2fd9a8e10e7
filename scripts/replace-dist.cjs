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
 * Puts a copy of what was compiled in the place of dist/, the last thing that a build does. Another build may do the same at the same moment: each
 * has a folder of its own, and nothing is ever written in dist/. The compiler leaves what it has made of a source that is gone: that is not copied.
 */

const COMPILED = '.build/service';
/** Folders of dist/ that are made of another folder than that in src/. */
const OTHER_SOURCES = [
  ['demo', 'clients/demo/src'],
  ['http/swagger-ui/library', 'node_modules/swagger-ui-dist'],
];
const ENDINGS_OF_COMPILED = /\.(js|js\.map|d\.ts)$/;

// Another build has put its own there, or has taken it away, between two steps of this one.
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

/** A source map names its source by the way there, which has one step less from dist/. */
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
