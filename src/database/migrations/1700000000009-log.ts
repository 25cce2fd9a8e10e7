import { type QueryRunner, Table } from 'typeorm';
import { createTables } from './steps.js';

const LOG_ENTRY = new Table({
  name: 'log_entry',
  columns: [
    { name: 'place', type: 'bigint', isPrimary: true },
    { name: 'asset', type: 'varchar', length: '32' },
    { name: 'created_us', type: 'bigint' },
    { name: 'modified_us', type: 'bigint' },
    { name: 'commitment', type: 'varchar', length: '44', isNullable: true },
    { name: 'opening', type: 'longtext' },
  ],
  indices: [
    { name: 'uq_log_entry_modified', columnNames: ['modified_us'], isUnique: true },
    { name: 'ix_log_entry_asset', columnNames: ['asset'] },
  ],
});

const LOG_NODE = new Table({
  name: 'log_node',
  columns: [
    { name: 'level', type: 'integer', isPrimary: true },
    { name: 'place', type: 'bigint', isPrimary: true },
    { name: 'hash', type: 'varchar', length: '44' },
  ],
});

const LOG_HEAD = new Table({
  name: 'log_head',
  columns: [
    { name: 'id', type: 'integer', isPrimary: true },
    { name: 'size', type: 'bigint' },
    { name: 'until_us', type: 'bigint' },
    { name: 'checkpoint', type: 'longtext', isNullable: true },
  ],
});

const REDACTION = new Table({
  name: 'redaction',
  columns: [
    { name: 'us', type: 'bigint', isPrimary: true },
    { name: 'asset', type: 'varchar', length: '32' },
    { name: 'pointers', type: 'text' },
    { name: 'reason', type: 'varchar', length: '1000' },
  ],
  indices: [{ name: 'ix_redaction_asset', columnNames: ['asset'] }],
});

/** The transparency log, and erasures. */
export class Log1700000000009 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, LOG_ENTRY, LOG_NODE, LOG_HEAD, REDACTION);
    const rows = (await runner.query('SELECT id FROM log_head')) as unknown[];
    if (rows.length === 0) await runner.query('INSERT INTO log_head (id, size, until_us) VALUES (1, 0, -1)');
  }
}
