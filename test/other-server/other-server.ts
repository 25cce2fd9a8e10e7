import { NotFetchedError, NotInstalledError } from '../../scripts/machine/apt-get.js';
import type { ServerAnswer } from '../support/server-answer.js';

type ServerName = ServerAnswer['name'];

/** Before each further attempt to fetch a server: a mirror that is away for a moment shall not matter. */
const PAUSES_MS = [15_000, 60_000];

export interface Steps {
  /** Finds the program of the other server, or fetches it. */
  take: () => Promise<unknown>;
  pause: (ms: number) => Promise<unknown>;
  /** Runs the tests on it, and gives their exit code. */
  test: () => Promise<number>;
  tell: (line: string) => void;
}

export function otherThan(name: ServerName): ServerName {
  return name === 'MySQL' ? 'MariaDB' : 'MySQL';
}

/**
 * The tests on a server that may have to be fetched. One that cannot be had is told and is no failure: that is the fault of a mirror, and not
 * of the service.
 * @returns the exit code
 */
export async function testOn(name: ServerName, steps: Steps): Promise<number> {
  const reason = await whyMissing(steps);
  if (reason === undefined) return await steps.test();
  steps.tell(`NOT TRIED: the tests on ${name}. None was found here, and ${reason}`);
  return 0;
}

/** @returns nothing where the server's program is there */
async function whyMissing(steps: Steps, pauses = PAUSES_MS): Promise<string | undefined> {
  try {
    await steps.take();
    return undefined;
  } catch (error) {
    if (!(error instanceof NotInstalledError)) throw error;
    const reason = error.message.replaceAll('\n', ' ');
    const [ms, ...later] = pauses;
    if (ms === undefined || !(error instanceof NotFetchedError)) return reason;
    steps.tell(`Once more in ${ms / 1_000} s: ${reason}`);
    await steps.pause(ms);
    return await whyMissing(steps, later);
  }
}
