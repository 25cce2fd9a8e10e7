import { createHash } from 'node:crypto';
import type Sqlite from 'embedded-sqlite';
import type { Progress } from '../../copy/progress.js';

/** A backup carries its digest in this table, whose one row has `sha256` in hex. */
export const DIGEST_TABLE = 'backup_digest';

const SCHEMA = `SELECT type, name, sql FROM sqlite_master
  WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> '${DIGEST_TABLE}' ORDER BY type, name`;
const ROWS_A_STEP = 1_000;

/** Computes the SHA-256 of the whole schema (tables, indexes, triggers, views) and of every row, in hex, of whatever version. */
export function digestOf(handle: Sqlite.Database, progress: Progress): string {
  const hash = createHash('sha256');
  for (const { type, name, sql } of handle.prepare(SCHEMA).all() as Record<'type' | 'name' | 'sql', string>[]) {
    hash.update(`${JSON.stringify([name, sql])}\n`);
    if (type !== 'table') continue;
    progress.begin(`digest ${name}`, Number(handle.prepare(`SELECT COUNT(*) FROM "${name}"`).pluck().get()));
    let rows = 0;
    for (const row of handle.prepare(`SELECT * FROM "${name}" ORDER BY rowid`).raw().iterate()) {
      hash.update(`${JSON.stringify(row)}\n`);
      if (++rows % ROWS_A_STEP === 0) progress.reach(rows);
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

/** @returns undefined for a file that carries none */
export function readDigest(handle: Sqlite.Database): string | undefined {
  const isThere = handle.prepare(`SELECT 1 FROM sqlite_master WHERE name = '${DIGEST_TABLE}'`).get() !== undefined;
  return isThere ? (handle.prepare(`SELECT sha256 FROM ${DIGEST_TABLE}`).pluck().get() as string) : undefined;
}

/** A database that is written to is not a backup any more. */
export function removeDigest(handle: Sqlite.Database): void {
  handle.exec(`DROP TABLE IF EXISTS ${DIGEST_TABLE}`);
}
