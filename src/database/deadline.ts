import { unavailable } from '../errors/errors.js';

/** No answer came in time. */
export class DeadlineError extends Error {}

/** After a pause of the whole process its timers run before it reads the answers that have come meanwhile. */
const GRACE_MS = 50;

/**
 * The driver has no deadline for answers, so a frozen server would hold a request for ever.
 * @param giveUp called before the rejection with DeadlineError; it must make sure that nobody waits behind the lost answer
 */
export function within<T>(ms: number, answer: Promise<T>, giveUp: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const expire = (): void => {
      giveUp();
      reject(new DeadlineError('The database did not answer in time'));
    };
    let timer = setTimeout(() => (timer = setTimeout(expire, GRACE_MS)), ms);
    answer.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (reason) => {
        clearTimeout(timer);
        reject(reason);
      },
    );
  });
}

/** The same work, which is refused with 503 where what it waits for from now on comes later than that. */
export function beforeLong<Held, T>(ms: number, work: (held: Held) => Promise<T>): (held: Held) => Promise<T> {
  const sinceMs = performance.now();
  return (held) => {
    if (performance.now() - sinceMs > ms) throw unavailable();
    return work(held);
  };
}
