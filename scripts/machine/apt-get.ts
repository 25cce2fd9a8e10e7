import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const APT_GET = '/usr/bin/apt-get';
const WAIT_FOR_OTHER_APT = ['-o', 'DPkg::Lock::Timeout=120'];

const run = promisify(execFile);

/** Needed programs are missing and could not be installed. */
export class NotInstalledError extends Error {}

/** The download failed this time. */
export class NotFetchedError extends NotInstalledError {}

/**
 * Installs Debian packages with their dependencies, after printing a message.
 * @param reason the first clause of the message, such as `No libfaketime found`
 * @param note a side effect on the machine, for the message
 * @throws NotInstalledError if this user may not install, NotFetchedError if installing fails
 */
export async function installPackages(
  reason: string,
  packages: readonly string[],
  note = 'no service is started',
): Promise<void> {
  if (!existsSync(APT_GET) || process.getuid?.() !== 0) {
    throw new NotInstalledError('it can be installed only as root on a system with apt-get.');
  }
  process.stderr.write(`${reason}: installing ${packages.join(' and ')} with apt-get (${note})\n`);
  try {
    await aptGet('update');
    await aptGet('install', '-y', '--no-install-recommends', ...packages);
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new NotFetchedError(`apt-get could not install it: ${(stderr || message).trim()}`);
  }
}

async function aptGet(...args: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run(APT_GET, ['-q', ...WAIT_FOR_OTHER_APT, ...args], { env, maxBuffer: 64 * 1024 * 1024 });
}
