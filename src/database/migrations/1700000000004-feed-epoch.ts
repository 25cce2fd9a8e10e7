import { randomBytes } from 'node:crypto';
import { type QueryRunner, TableColumn } from 'typeorm';
import { addColumn } from './steps.js';

const EPOCH = new TableColumn({ name: 'epoch', type: 'varchar', length: '32', isNullable: false });

/** The feed's epoch, and whether the database is complete. */
export class FeedEpoch1700000000004 {
  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'feed_clock', 'copying', 'varchar(64) NULL');
    // Nullable first, then filled, then NOT NULL, because the value has no constant default.
    await addColumn(runner, 'feed_clock', 'epoch', 'varchar(32) NULL');
    await runner.query('UPDATE feed_clock SET epoch = ? WHERE epoch IS NULL', [randomBytes(16).toString('hex')]);
    await runner.changeColumn('feed_clock', 'epoch', EPOCH);
  }
}
