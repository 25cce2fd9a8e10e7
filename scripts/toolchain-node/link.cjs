const { existsSync, symlinkSync } = require('node:fs');
const { dirname, relative } = require('node:path');
const { LINK, PROGRAM } = require('./index.cjs');

/*
 * Puts the toolchain's Node where npm's scripts look first; the first thing that a build does. npm 11 has done so by then; npm 10 takes the link
 * away again with the packages for other machines, as all of them bring a program of that name.
 */
if (existsSync(PROGRAM) && !existsSync(LINK)) symlinkSync(relative(dirname(LINK), PROGRAM), LINK);
