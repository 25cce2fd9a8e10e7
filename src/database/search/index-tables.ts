import type Sqlite from 'embedded-sqlite';

/** SQLite's application_id of the registry's search indexes. */
const APPLICATION_ID = 0x0a55e75e;
/** Increment it with each change of the tables, or of how assets are indexed. */
const LAYOUT = 12;
/** Size of the WAL, in pages of 4 KiB, at which SQLite merges it into the file. */
const CHECKPOINT_PAGES = 8_000;
/** Memory for the terms of one transaction. */
const HASH_BYTES = 32 * 1024 * 1024;

/**
 * `entry`: assets by `seq`, a number in the order of the feed; `whole` and `nano` are the exact amount, in units and billionths. `facet`: one
 * combination of values, which many entries share. `words`: the entries' terms, separated by spaces; detail=none stores no positions.
 */
const SCHEMA = `
  CREATE TABLE state (id INTEGER PRIMARY KEY, version TEXT NOT NULL, epoch TEXT NOT NULL, us INTEGER NOT NULL, from_us INTEGER NOT NULL);
  CREATE TABLE facet (number INTEGER PRIMARY KEY, status TEXT NOT NULL, type TEXT NOT NULL, regions TEXT NOT NULL,
    UNIQUE (status, type, regions));
  CREATE TABLE entry (seq INTEGER PRIMARY KEY, facet INTEGER NOT NULL, currency TEXT, amount REAL, us INTEGER NOT NULL, id BLOB NOT NULL,
    whole INTEGER, nano INTEGER, created_day INTEGER NOT NULL, changed_day INTEGER NOT NULL);
  CREATE UNIQUE INDEX entry_us ON entry (us);
  CREATE UNIQUE INDEX entry_id ON entry (id);
  CREATE INDEX entry_facet ON entry (facet);
  CREATE INDEX entry_amount ON entry (currency, amount);
  CREATE INDEX entry_created ON entry (created_day);
  CREATE INDEX entry_changed ON entry (changed_day);
  CREATE VIRTUAL TABLE words USING fts5(tokens, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars ':'");
`;

/** `state.version`: version of the tables and of their content. */
export function fileVersion(version: string): string {
  return `${LAYOUT} ${version}`;
}

/** Creates the tables, or recreates those of another version. @throws Error if the file is another SQLite database */
export function createTables(handle: Sqlite.Database, version: string): void {
  const isOurs = (): boolean => handle.pragma('application_id', { simple: true }) === APPLICATION_ID;
  const isCurrent = (): boolean => handle.prepare('SELECT version FROM state').pluck().get() === version;
  if (!isOurs() && tablesOf(handle).length > 0) throw new Error('The file is another SQLite database');
  handle.pragma('journal_mode = WAL');
  // A crash of the machine may undo the last transactions, but position and entries together: the feed is read again from there.
  handle.pragma('synchronous = NORMAL');
  handle.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  const make = handle.transaction(() => {
    if (isOurs() && isCurrent()) return;
    for (const name of tablesOf(handle)) handle.exec(`DROP TABLE "${name}"`);
    handle.pragma(`application_id = ${APPLICATION_ID}`);
    handle.exec(SCHEMA);
    handle.exec(`INSERT INTO words (words, rank) VALUES ('hashsize', ${HASH_BYTES})`);
    handle.prepare("INSERT INTO state VALUES (1, ?, '', -1, -1)").run(version);
  });
  make.immediate();
}

/** Without the full-text table's shadow tables, which are dropped with it. */
function tablesOf(handle: Sqlite.Database): string[] {
  const sql =
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite_%'";
  return handle.prepare(sql).pluck().all() as string[];
}
