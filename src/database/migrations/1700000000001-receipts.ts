import { type QueryRunner, Table } from 'typeorm';
import { createTables } from './steps.js';

const RECEIPT = new Table({
  name: 'receipt',
  columns: [
    { name: 'id', type: 'varchar', length: '64', isPrimary: true },
    { name: 'body_digest', type: 'varchar', length: '64' },
    { name: 'asset_id', type: 'varchar', length: '32' },
    { name: 'salt', type: 'varchar', length: '32' },
    { name: 'created_us', type: 'bigint' },
  ],
  indices: [{ name: 'ix_receipt_created', columnNames: ['created_us'] }],
});

/** Creations with an Idempotency-Key. */
export class Receipts1700000000001 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, RECEIPT);
  }
}
