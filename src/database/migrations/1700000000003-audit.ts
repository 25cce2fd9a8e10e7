import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { compareInBinary } from '../dialects/compare-in-binary.js';

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

/** Who has done what and when, and the day on which a key was used last. */
export class Audit1700000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await compareInBinary(runner);
    await runner.createTable(AUDIT.clone());
    // In these words everywhere: TypeORM would copy the whole table on SQLite.
    await runner.query('ALTER TABLE api_key ADD COLUMN used_day varchar(10) NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key DROP COLUMN used_day');
    await runner.dropTable(AUDIT.name);
  }
}
