const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');

/*
 * Builds the service before `npm start` starts it. After `npm ci --omit=dev` no compiler is installed, so the existing build is started.
 */

if (canBuild()) {
  process.stdout.write('Building what has changed (the first build takes some seconds)\n');
  process.exitCode = spawnSync('npm run --silent build:service', { shell: true, stdio: 'inherit' }).status ?? 1;
} else if (!existsSync('dist/main.js')) {
  process.stderr.write(
    'There is no build yet, and the compiler is not installed: run "npm ci && npm run build" first, then "npm prune --omit=dev"\n',
  );
  process.exitCode = 1;
}

function canBuild() {
  try {
    return require.resolve('typescript', { paths: [process.cwd()] }) !== undefined;
  } catch {
    return false;
  }
}
