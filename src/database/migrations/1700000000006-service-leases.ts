import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { compareInBinary } from '../dialects/compare-in-binary.js';

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

/** Which processes serve the database, for commands that replace what is in it. */
export class ServiceLeases1700000000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await compareInBinary(runner);
    await runner.createTable(SERVICE_LEASE.clone());
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable(SERVICE_LEASE.name);
  }
}
