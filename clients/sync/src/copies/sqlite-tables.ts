import { LOG_TABLE } from './log-row.js';

/** The tables of a copy, by these names. */
export const TABLES = (table: string, state: string): string => `
  CREATE TABLE ${table} (
    id TEXT NOT NULL PRIMARY KEY,
    asset_id TEXT NOT NULL,
    asset_type TEXT NOT NULL,
    status TEXT NOT NULL,
    date_modified TEXT NOT NULL,
    feed_us INTEGER NOT NULL,
    related_lot TEXT,
    owner TEXT NOT NULL,
    document TEXT NOT NULL
  );
  CREATE TABLE ${state} (
    schema_version INTEGER NOT NULL,
    written_by TEXT NOT NULL,
    url TEXT NOT NULL,
    epoch TEXT NOT NULL,
    position TEXT NOT NULL,
    older_than TEXT,
    fields TEXT,
    types TEXT,
    begun_at TEXT NOT NULL,
    written_at TEXT NOT NULL,
    whole_at TEXT,
    caught_up_at TEXT,
    follows TEXT,
    log_place TEXT
  );`;

/** Made when the copy is whole: to keep them meanwhile takes as long as all the rest. */
export const INDEXES = `
  CREATE UNIQUE INDEX IF NOT EXISTS asset_feed_us ON asset (feed_us);
  CREATE INDEX IF NOT EXISTS asset_asset_id ON asset (asset_id);
  CREATE INDEX IF NOT EXISTS asset_status ON asset (status, feed_us);
  CREATE INDEX IF NOT EXISTS asset_related_lot ON asset (related_lot) WHERE related_lot IS NOT NULL;`;

/** The log that a copy keeps. */
export const LOG = `
  CREATE TABLE IF NOT EXISTS ${LOG_TABLE} (
    place INTEGER NOT NULL PRIMARY KEY,
    id TEXT NOT NULL,
    date_modified TEXT NOT NULL,
    entry TEXT NOT NULL,
    opening TEXT,
    document TEXT
  );
  CREATE INDEX IF NOT EXISTS asset_log_id ON ${LOG_TABLE} (id, place);`;
