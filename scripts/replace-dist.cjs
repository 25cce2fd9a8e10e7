const { cpSync, mkdtempSync, renameSync, rmSync } = require('node:fs');
const { join } = require('node:path');

/*
 * Puts a copy of what was compiled in the place of dist/, the last thing that a build does. Another build may do the same at the same moment: each
 * has a folder of its own, and nothing is ever written in dist/.
 */

// Another build has put its own there, or has taken it away, between two steps of this one.
const IS_THERE = ['ENOTEMPTY', 'EEXIST'];
const IS_AWAY = ['ENOENT'];

const own = mkdtempSync('.build/dist-');
try {
  cpSync('.build/service', join(own, 'new'), { recursive: true });
  for (let former = 0; !rename(join(own, 'new'), 'dist', IS_THERE); former++)
    rename('dist', join(own, `former-${former}`), IS_AWAY);
} finally {
  rmSync(own, { recursive: true });
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
