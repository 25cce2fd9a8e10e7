import type { QueryRunner } from 'typeorm';
import { addColumn } from './steps.js';

/** Under which name people see an account. */
export class DisplayNames1700000000010 {
  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'account', 'display_name', 'varchar(200) NULL');
  }
}
