/** No answer came in time. */
export class DeadlineError extends Error {}

/** After a pause of the whole process its timers run before it reads the answers that have come meanwhile. */
const GRACE_MS = 50;

/**
 * A deadline for an answer. A pause of the whole process counts as half of the time at most: a server of the same machine may have paused as
 * well.
 * @returns what revokes it
 */
export function deadline(ms: number, expire: () => void): () => void {
  const end = (): void => void (timer = setTimeout(expire, GRACE_MS));
  let timer = setTimeout(() => (timer = setTimeout(end, ms / 2)), ms / 2);
  return () => clearTimeout(timer);
}

/**
 * The driver has no deadline for answers, so a frozen server would hold a request for ever.
 * @param giveUp called before the rejection with DeadlineError; it must make sure that nobody waits behind the lost answer
 */
export function within<T>(ms: number, answer: Promise<T>, giveUp: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const revoke = deadline(ms, () => {
      giveUp();
      reject(new DeadlineError('The database did not answer in time'));
    });
    answer.then(
      (value) => {
        revoke();
        resolve(value);
      },
      (reason) => {
        revoke();
        reject(reason);
      },
    );
  });
}
