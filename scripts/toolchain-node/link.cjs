const { existsSync, symlinkSync } = require('node:fs');
const { dirname, relative } = require('node:path');
const { isTooOld, LINK, PROGRAM } = require('./index.cjs');

/*
 * Puts the toolchain's Node where npm's scripts look first, on a machine whose own is too old; the first thing that a build does. npm 11 has done
 * so by then; npm 10 takes the link away again with the packages for other machines, as all of them bring a program of that name.
 */
if (isTooOld && existsSync(PROGRAM) && !existsSync(LINK)) symlinkSync(relative(dirname(LINK), PROGRAM), LINK);
