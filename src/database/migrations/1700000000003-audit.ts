import { type QueryRunner, Table } from 'typeorm';
import { addColumn, createTables } from './steps.js';

const AUDIT = new Table({
  name: 'audit',
  columns: [
    { name: 'us', type: 'bigint', isPrimary: true },
    { name: 'subject', type: 'varchar', length: '100', isPrimary: true },
    { name: 'actor', type: 'varchar', length: '100' },
    { name: 'action', type: 'varchar', length: '32' },
    { name: 'request_id', type: 'varchar', length: '128', isNullable: true },
    { name: 'detail', type: 'text' },
  ],
  indices: [{ name: 'ix_audit_subject', columnNames: ['subject', 'us'] }],
});

/** The audit, and the day on which a key was last used. */
export class Audit1700000000003 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, AUDIT);
    await addColumn(runner, 'api_key', 'used_day', 'varchar(10) NULL');
  }
}
