import type { QueryRunner } from 'typeorm';
import { addColumn } from './steps.js';

export class DisplayNames1700000000010 {
  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'account', 'display_name', 'varchar(200) NULL');
  }
}
