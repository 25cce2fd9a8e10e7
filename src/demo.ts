// What is said to people stays theirs: the global one is the log's.
import console from 'node:console';
import { progressBar } from './cli/progress-bar.js';
import type { Config } from './platform/config/config.js';
import { StartError } from './platform/errors/start-error.js';
import { logger } from './platform/logging/logger.js';
import { ENDING_SIGNALS } from './operations/ending-signals.js';

/** A service that listens. */
export interface Started {
  url: string;
  demoKeys: boolean;
  /** Whether there is no asset yet; only known where the demo keys work. */
  isEmpty: boolean;
}

/** For who has nothing more to do in this process. */
const NEVER = new Promise<never>(() => undefined);

/** Before anything starts. @throws StartError where examples must not be added, or cannot be */
export function assertDemoIsAllowed({ production, demoKeys, clusterServerId }: Config): void {
  if (production) throw new StartError('--demo is refused with NODE_ENV=production: examples are no assets');
  if (!demoKeys) throw new StartError('--demo adds its examples with the demo keys, and DEMO_KEYS is off');
  if (clusterServerId !== undefined) throw new StartError('--demo is for trying, and not for cluster mode');
}

/**
 * Fills the registry with examples, where it is empty.
 * @returns what became of it; never, where the process is told to end meanwhile
 * @throws StartError that says what was done, when it cannot be gone through with
 */
export async function fillWithExamples({ url, isEmpty, demoKeys }: Started, config: Config): Promise<string> {
  if (!demoKeys) throw new StartError('--demo adds its examples with the demo keys, and here are other accounts');
  if (!isEmpty) return 'not added: the registry has assets already';
  // A client like any other (clients/demo), which is loaded only here.
  const { addExamples, BEGIN_AGAIN, DemoError } = await import('#demo');
  // A thousand lines of requests would tell nobody anything.
  if (logger.isLevelEnabled('info')) logger.level = 'warn';
  const tellUnfinished = (): void => console.error(`Not all examples were added. ${BEGIN_AGAIN}`);
  process.once('exit', tellUnfinished);
  let ending = false;
  for (const signal of ENDING_SIGNALS) process.once(signal, () => (ending = true));
  try {
    const count = await addExamples(url, process.stderr.isTTY ? progressBar() : undefined);
    process.off('exit', tellUnfinished);
    logger.level = config.logLevel;
    return `${count} assets, in all states, with their histories`;
  } catch (error) {
    // It ends once the requests of others are answered.
    if (ending) return NEVER;
    process.off('exit', tellUnfinished);
    throw error instanceof DemoError ? new StartError(error.message, { cause: error }) : error;
  }
}
