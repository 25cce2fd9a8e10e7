import type { MigrationInterface, QueryRunner } from 'typeorm';
import { addColumn } from './steps.js';

/** Under which name people see an account. */
export class DisplayNames1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'account', 'display_name', 'varchar(200) NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE account DROP COLUMN display_name');
  }
}
