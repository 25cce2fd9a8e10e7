import type Sqlite from 'embedded-sqlite';

/** Marks an SQLite file as a search index of the registry. */
const APPLICATION_ID = 0x0a55e75e;
/** Raised with each change of the tables, of how they are filled, or of what is found of an asset. */
const LAYOUT = 12;
/** Pages of the log, 4 KiB each, that are brought into the file at once. */
const CHECKPOINT_PAGES = 8_000;
/** Memory for the terms of one transaction. */
const HASH_BYTES = 32 * 1024 * 1024;

/**
 * `entry`: what stands at which place (`seq`); places are in the order of the feed. `whole` and `nano` are the exact amount, in units and in
 * thousand millionths. `facet`: what very many entries have in common. `words`: the terms of the entries. They are made by the room that
 * searches, so SQLite parts them at spaces. Only that a term occurs is kept, not where.
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

/** What `state` says of the tables and of what is kept in them. */
export function wholeVersion(version: string): string {
  return `${LAYOUT} ${version}`;
}

/** Makes the tables, where they are not there or of another version. @throws Error where the file is none of ours */
export function makeTables(handle: Sqlite.Database, version: string): void {
  const isOurs = (): boolean => handle.pragma('application_id', { simple: true }) === APPLICATION_ID;
  const isCurrent = (): boolean => handle.prepare('SELECT version FROM state').pluck().get() === version;
  if (!isOurs() && tablesOf(handle).length > 0) throw new Error('The file is another SQLite database');
  handle.pragma('journal_mode = WAL');
  // A crash of the machine may take back the last transactions, each whole with its position: they are followed again.
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

/** Without those that the full-text table keeps for itself: they go with it. */
function tablesOf(handle: Sqlite.Database): string[] {
  const sql =
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite_%'";
  return handle.prepare(sql).pluck().all() as string[];
}
