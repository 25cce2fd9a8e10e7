import { type QueryRunner, Table } from 'typeorm';
import { addColumn, createTables } from './steps.js';

const TRANSFER_CODE = new Table({
  name: 'transfer_code',
  columns: [
    { name: 'id', type: 'varchar', length: '32', isPrimary: true },
    { name: 'digest', type: 'varchar', length: '64' },
    { name: 'expires_us', type: 'bigint' },
  ],
});

/** Transfer codes, and former owners. */
export class Ownership1700000000008 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, TRANSFER_CODE);
    await addColumn(runner, 'revision', 'owner', 'varchar(100) NULL');
  }
}
