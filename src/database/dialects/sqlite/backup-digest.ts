import { createHash } from 'node:crypto';
import type Sqlite from 'embedded-sqlite';
import type { Progress } from '../../copy/progress.js';

/** A backup contains its digest in this table: one row with `sha256` in hex. */
export const DIGEST_TABLE = 'backup_digest';

const SCHEMA = `SELECT type, name, sql FROM sqlite_master
  WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '${DIGEST_TABLE}' ORDER BY type, name`;
const ROWS_PER_STEP = 1_000;

/** SHA-256 in hex of the schema (tables, indexes, triggers, views) and of every row; works for every version of the schema. */
export function digestOf(handle: Sqlite.Database, progress: Progress): string {
  const hash = createHash('sha256');
  for (const { type, name, sql } of handle.prepare(SCHEMA).all() as Record<'type' | 'name' | 'sql', string>[]) {
    hash.update(`${JSON.stringify([name, sql])}\n`);
    if (type !== 'table') continue;
    progress.begin(`digest ${name}`, Number(handle.prepare(`SELECT COUNT(*) FROM "${name}"`).pluck().get()));
    let rows = 0;
    for (const row of handle.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).raw().iterate()) {
      hash.update(`${JSON.stringify(row)}\n`);
      if (++rows % ROWS_PER_STEP === 0) progress.reach(rows);
    }
    progress.reach(rows);
    progress.end();
  }
  return hash.digest('hex');
}

export function writeDigest(handle: Sqlite.Database, sha256: string): void {
  removeDigest(handle);
  handle.exec(`CREATE TABLE ${DIGEST_TABLE} (sha256 TEXT NOT NULL)`);
  handle.prepare(`INSERT INTO ${DIGEST_TABLE} VALUES (?)`).run(sha256);
}

/** @returns undefined if the file has none */
export function readDigest(handle: Sqlite.Database): string | undefined {
  const exists = handle.prepare(`SELECT 1 FROM sqlite_master WHERE name = '${DIGEST_TABLE}'`).get() !== undefined;
  return exists ? (handle.prepare(`SELECT sha256 FROM ${DIGEST_TABLE}`).pluck().get() as string) : undefined;
}

/** Call before the file is written to, because it is no longer a backup then. */
export function removeDigest(handle: Sqlite.Database): void {
  handle.exec(`DROP TABLE IF EXISTS ${DIGEST_TABLE}`);
}
