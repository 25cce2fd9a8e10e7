import { type QueryRunner, Table } from 'typeorm';
import { createTables } from './steps.js';

const SERVICE_LEASE = new Table({
  name: 'service_lease',
  columns: [
    { name: 'id', type: 'varchar', length: '32', isPrimary: true },
    { name: 'host', type: 'varchar', length: '255' },
    { name: 'pid', type: 'integer' },
    { name: 'since_us', type: 'bigint' },
    { name: 'renewed_us', type: 'bigint' },
  ],
});

/** Processes that serve the database, for commands that replace its contents. */
export class ServiceLeases1700000000006 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, SERVICE_LEASE);
  }
}
