/**
 * Time limits in milliseconds; docs/operations/limits-and-proxy.md shows operators the same table. Intervals of checks and retries are defined
 * where they are used.
 */
export const TIME_BUDGETS_MS = {
  /** An answer of bounded size, from the arrival of the request. The waits of a request below are part of it. */
  answer: 7_500,
  /** Waiting for a slot of admission control. Not shorter, because refused clients retry, and refusals take time from the work. */
  admission: 5_000,
  /** The time until a statement begins that several requests share. */
  sharedStatement: 2_000,
  /** The time until the last attempt of a read begins its statement. */
  readAttempts: 2_500,
  /** The server's answer to a statement; longer than its own limit, so that the server reports the reason. */
  statement: 5_500,
  /** The server's own limit of a statement. */
  statementOnServer: 5_000,
  /** The server's own limit of waiting for a row lock, or for a table that a write needs. */
  lockOnServer: 2_000,
  /** Waiting for another process's lock of the SQLite file. */
  fileLock: 2_000,
  /** Waiting for a connection of a pool, which may have to be opened first. */
  pooledConnection: 3_000,
  /** Opening a connection to a database server. */
  connecting: 2_000,
  /** A probe of the only database host; without an answer by then the host counts as down. */
  hostProbe: 3_000,
  /** The same if there is another host to fail over to. */
  hostProbeOfSeveral: 1_500,
  /** How long a large group of changes yields to others. */
  groupYields: 2_000,
  /** Waiting for a snapshot that is being made; after that an older one is sent, or 503. */
  snapshot: 5_000,
  /** How long a search waits for the index to catch up. */
  searchCatchUp: 250,
  /** A query of the search index, and a step of indexing or of shrinking its file; after that the thread is restarted. */
  searchQuery: 30_000,
  searchWrite: 600_000,
  /** A witness's signature under a checkpoint of the transparency log. */
  witness: 2_000,
  /** The database's answer to `/health/ready`: longer than a healthy one takes, and shorter than a supervisor waits. */
  health: 800,
  /** Running requests at shutdown; after that their connections are cut. */
  drain: 20_000,
  /** The whole shutdown of a process; its last log lines may take two seconds more. */
  shutdown: 22_000,
  /** Running requests after an uncaught error. */
  shutdownAfterDefect: 5_000,
} as const;
