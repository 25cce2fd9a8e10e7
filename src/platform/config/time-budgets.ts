/**
 * How long each thing that a request waits for may take, in milliseconds. Operators read the same table in docs/operations/limits-and-proxy.md.
 * How often something is looked at or tried stands where that is done.
 */
export const TIME_BUDGETS_MS = {
  /** An answer that does not grow with what is asked for, from the arrival of the request; all that follows lies within it. */
  answer: 7_500,
  /** A slot of admission control: who is refused sooner asks again sooner, and refusing takes time from the work. */
  admission: 5_000,
  /** A statement that several requests share, before it begins. */
  sharedStatement: 2_000,
  /** The attempts of a read, before the last of them begins its statement. */
  readAttempts: 2_500,
  /** An answer of the server to a statement: more than the server's own limit, so that the server says why. */
  statement: 5_500,
  /** The server's own limit of a statement. */
  statementOnServer: 5_000,
  /** The server's own limit of a wait for a lock of a row, and for a table that a write needs. */
  lockOnServer: 2_000,
  /** A lock of the SQLite file that another process has. */
  lockOfFile: 2_000,
  /** A connection of a pool, which may have to be made first. */
  pooledConnection: 3_000,
  /** Making a connection to a database server. */
  connecting: 2_000,
  /** A sign of life of the only database host; then it counts as away. */
  signOfLife: 3_000,
  /** The same where there is another host to go to. */
  signOfLifeOfSeveral: 1_500,
  /** A large group of changes, while it lets others go first. */
  groupGivesWay: 2_000,
  /** A snapshot that is being made; then an older one is sent, or 503. */
  snapshot: 5_000,
  /** The search index, before a search is answered with what it has. */
  searchCatchesUp: 250,
  /** A query of the search index, and a part of the feed that it takes in (or its file made smaller); then the thread is started again. */
  searchQuery: 30_000,
  searchWrite: 600_000,
  /** A witness's signature under a checkpoint of the transparency log. */
  witness: 2_000,
  /** The database's answer to `/health/ready`: more than a sound one takes, and less than a supervisor waits. */
  health: 800,
  /** Requests that have begun, when the process was told to end; then their connections are cut. */
  drain: 20_000,
  /** The whole end of a process; the last lines of its log may take two seconds more. */
  end: 22_000,
  /** Requests that have begun, after a defect that nothing caught. */
  endAfterDefect: 5_000,
} as const;
