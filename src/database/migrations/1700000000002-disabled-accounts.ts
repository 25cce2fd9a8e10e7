import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts whose keys are refused. */
export class DisabledAccounts1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // In these words everywhere: TypeORM would copy the whole table on SQLite.
    await runner.query('ALTER TABLE account ADD COLUMN disabled_us bigint NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN disabled_us');
  }
}
