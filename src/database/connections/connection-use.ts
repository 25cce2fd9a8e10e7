import type { Session } from './session.js';

/** Counts the connections of a side, without the lane's. */
export class ConnectionUse {
  inUse = 0;
  /** Callers waiting for a connection. */
  waiting = 0;

  /** Opens a session, runs `work` and releases the session. @throws what `open` and `work` throw */
  async during<T>(open: () => Promise<Session>, work: (session: Session) => Promise<T>): Promise<T> {
    this.waiting++;
    const session = await open().finally(() => this.waiting--);
    this.inUse++;
    try {
      return await work(session);
    } finally {
      this.inUse--;
      session.release();
    }
  }
}
