import { NAME_REPLACED } from './columns.js';
import { LOG_TABLE } from './log-row.js';

/** The tables of a copy, by these names. */
export const TABLES = (table: string, state: string): string[] => [
  `CREATE TABLE ${table} (
    id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    asset_id VARCHAR(64) NOT NULL,
    asset_type VARCHAR(128) NOT NULL,
    status VARCHAR(128) NOT NULL,
    date_modified VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    feed_us BIGINT NOT NULL,
    related_lot VARCHAR(32),
    owner VARCHAR(255) NOT NULL,
    document LONGTEXT NOT NULL
  ) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  `CREATE TABLE ${state} (
    schema_version INT NOT NULL,
    written_by VARCHAR(64) NOT NULL,
    url TEXT NOT NULL,
    epoch VARCHAR(128) NOT NULL,
    position VARCHAR(40) NOT NULL,
    older_than VARCHAR(40),
    fields TEXT,
    types TEXT,
    begun_at VARCHAR(40) NOT NULL,
    written_at VARCHAR(40) NOT NULL,
    whole_at VARCHAR(40),
    caught_up_at VARCHAR(40),
    follows VARCHAR(16),
    log_place VARCHAR(16)
  ) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
];

/** Made when the copy is whole: the server sorts once, instead of looking for a place for each row. */
export const INDEXES = `ADD UNIQUE KEY asset_feed_us (feed_us), ADD KEY asset_asset_id (asset_id),
  ADD KEY asset_status (status, feed_us), ADD KEY asset_related_lot (related_lot)`;
/**
 * What `proveOwnership` looks at. A server tells of a table to whoever may drop it, and of its columns only to who may read or write them: such
 * a table has none of ours here.
 */
export const COLUMNS = `SELECT t.table_name AS \`table\`, COALESCE(c.column_name, '') AS \`column\`
  FROM information_schema.tables t
    LEFT JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
  WHERE t.table_schema = DATABASE()`;
/** Drops what a swap left behind. */
export const OLD = `DROP TABLE IF EXISTS ${NAME_REPLACED.table}, ${NAME_REPLACED.state}`;

/** The log that a copy keeps. A statement that ends a transaction. */
export const LOG = `CREATE TABLE IF NOT EXISTS ${LOG_TABLE} (
    place BIGINT NOT NULL PRIMARY KEY,
    id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    date_modified VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    entry TEXT NOT NULL,
    opening LONGTEXT,
    document LONGTEXT,
    KEY asset_log_id (id, place)
  ) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;
