import type { QueryRunner } from 'typeorm';
import { addColumn } from './steps.js';

/** Accounts can be disabled: their keys are refused. */
export class DisabledAccounts1700000000002 {
  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'account', 'disabled_us', 'bigint NULL');
  }
}
