export class DeadlineError extends Error {}

/** After a pause of the process, timers run before sockets are read: this leaves time to read answers that came meanwhile. */
const GRACE_MS = 50;

/**
 * Calls `expire` after `ms`. A pause of the whole process uses up at most half of it, because a server on the same machine may have paused
 * too.
 * @returns a function that cancels the deadline
 */
export function deadline(ms: number, expire: () => void): () => void {
  const end = (): void => void (timer = setTimeout(expire, GRACE_MS));
  let timer = setTimeout(() => (timer = setTimeout(end, ms / 2)), ms / 2);
  return () => clearTimeout(timer);
}

/**
 * Adds the time-out that the driver lacks: a frozen server would block a request forever.
 * @param giveUp called before the rejection with DeadlineError; it must close the connection, so that no later statement waits on it
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
