import { type QueryRunner, Table } from 'typeorm';
import { createTables } from './steps.js';

const CLOCK_WITNESS = new Table({
  name: 'clock_witness',
  columns: [
    { name: 'id', type: 'integer', isPrimary: true },
    { name: 'seen_us', type: 'bigint' },
    { name: 'lead_us', type: 'bigint' },
  ],
});

/** The time that clocks are compared with; empty at first. */
export class ClockWitness1700000000007 {
  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner, CLOCK_WITNESS);
  }
}
