const { existsSync } = require('node:fs');
const { join } = require('node:path');

/** Where npm links the program of the one package that fits this machine. */
const PROGRAM = join(__dirname, '../../node_modules/.bin/node');
const F_SETFD = 2;

/**
 * Goes on as the toolchain's Node, with the same arguments, process id, streams and environment. Returns where that cannot be done.
 * Node has `process.execve` for this only since 22.15.
 */
exports.goOn = () => {
  if (process.platform === 'win32' || !existsSync(PROGRAM)) return;
  const koffi = require('koffi');
  const libc = koffi.load(null);
  const fcntl = libc.func('int fcntl(int fd, int command, ...)');
  const execv = libc.func('int execv(const char *path, const char **argv)');
  // Node has them closed at execv.
  for (const fd of [0, 1, 2]) fcntl(fd, F_SETFD, 'int', 0);
  execv(PROGRAM, [PROGRAM, ...process.execArgv, ...process.argv.slice(1), null]);
};
