import { type QueryRunner, Table, type TableColumnOptions } from 'typeorm';
import { createTables, insertOnlyRow } from './steps.js';

const text = (name: string, length: number, more: Partial<TableColumnOptions> = {}): TableColumnOptions => ({
  name,
  type: 'varchar',
  length: String(length),
  ...more,
});
const instant = (name: string, more: Partial<TableColumnOptions> = {}): TableColumnOptions => ({
  name,
  type: 'bigint',
  ...more,
});
const key = { isPrimary: true };
const nullable = { isNullable: true };

const ACCOUNT = new Table({
  name: 'account',
  columns: [text('id', 32, key), text('name', 100), text('role', 20), instant('created_us')],
  indices: [{ name: 'uq_account_name', columnNames: ['name'], isUnique: true }],
});

const API_KEY = new Table({
  name: 'api_key',
  columns: [
    text('id', 32, key),
    text('account_id', 32),
    text('digest', 64),
    instant('created_us'),
    instant('expires_us', nullable),
    instant('revoked_us', nullable),
  ],
  indices: [
    { name: 'uq_api_key_digest', columnNames: ['digest'], isUnique: true },
    { name: 'ix_api_key_account', columnNames: ['account_id'] },
  ],
  foreignKeys: [
    {
      name: 'fk_api_key_account',
      columnNames: ['account_id'],
      referencedTableName: 'account',
      referencedColumnNames: ['id'],
      onDelete: 'RESTRICT',
      onUpdate: 'RESTRICT',
    },
  ],
});

const ASSET = new Table({
  name: 'asset',
  columns: [
    text('id', 32, key),
    text('asset_id', 40),
    text('asset_type', 64),
    text('status', 32),
    text('owner', 100),
    text('token_digest', 64),
    text('related_lot', 32, nullable),
    { name: 'body', type: 'longtext' },
    { name: 'version', type: 'integer' },
    instant('created_us'),
    instant('modified_us'),
    instant('feed_us', nullable),
  ],
  indices: [
    { name: 'uq_asset_asset_id', columnNames: ['asset_id'], isUnique: true },
    { name: 'uq_asset_feed_us', columnNames: ['feed_us'], isUnique: true },
    { name: 'ix_asset_feed', columnNames: ['feed_us', 'id'] },
  ],
});

const FEED_CLOCK = new Table({
  name: 'feed_clock',
  columns: [{ name: 'id', type: 'integer', ...key }, instant('last_us')],
});

const FEED_BARRIER = new Table({
  name: 'feed_barrier',
  columns: [
    { name: 'id', type: 'integer', ...key },
    { name: 'n', type: 'bigint' },
  ],
});

const ASSET_SEQUENCE = new Table({
  name: 'asset_sequence',
  columns: [text('day', 10, key), { name: 'last_number', type: 'integer' }],
});

const TABLES = [ACCOUNT, API_KEY, ASSET, FEED_CLOCK, FEED_BARRIER, ASSET_SEQUENCE];

/** The first tables, with types that SQLite, MariaDB and MySQL share. */
export class FirstSchema1700000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, ...TABLES);
    await insertOnlyRow(runner, 'feed_clock', 'last_us');
    await insertOnlyRow(runner, 'feed_barrier', 'n');
  }
}
