import { type QueryRunner, Table } from 'typeorm';
import { createTables } from './steps.js';

const STORED_BYTES = new Table({
  name: 'stored_bytes',
  columns: [
    { name: 'account', type: 'varchar', length: '100', isPrimary: true },
    { name: 'day', type: 'varchar', length: '10' },
    { name: 'bytes', type: 'bigint' },
  ],
});

/** Bytes that each account stored on a day. */
export class StoredBytes1700000000013 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, STORED_BYTES);
  }
}
