import { type QueryRunner, Table } from 'typeorm';
import { createTables } from './steps.js';

const REVISION = new Table({
  name: 'revision',
  columns: [
    { name: 'until_us', type: 'bigint', isPrimary: true },
    { name: 'asset', type: 'varchar', length: '32' },
    { name: 'version', type: 'integer' },
    { name: 'modified_us', type: 'bigint' },
    { name: 'status', type: 'varchar', length: '32' },
    { name: 'related_lot', type: 'varchar', length: '32', isNullable: true },
    { name: 'body', type: 'longtext' },
    { name: 'same_start', type: 'integer' },
    { name: 'same_end', type: 'integer' },
    { name: 'checksum', type: 'integer' },
    { name: 'listed', type: 'integer' },
    { name: 'changed', type: 'text' },
  ],
  indices: [{ name: 'ix_revision_asset', columnNames: ['asset', 'listed', 'modified_us'] }],
});

/** Past states of assets, from this migration on. */
export class Revisions1700000000005 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, REVISION);
  }
}
