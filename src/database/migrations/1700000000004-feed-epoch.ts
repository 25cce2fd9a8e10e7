import { randomBytes } from 'node:crypto';
import { type QueryRunner, TableColumn } from 'typeorm';
import { addColumn } from './steps.js';

const EPOCH = new TableColumn({ name: 'epoch', type: 'varchar', length: '32', isNullable: false });

/** Which history the feed tells, and whether it is whole. */
export class FeedEpoch1700000000004 {
  async up(runner: QueryRunner): Promise<void> {
    await addColumn(runner, 'feed_clock', 'copying', 'varchar(64) NULL');
    // In three steps, because the databases give no default: the table has one row.
    await addColumn(runner, 'feed_clock', 'epoch', 'varchar(32) NULL');
    await runner.query('UPDATE feed_clock SET epoch = ? WHERE epoch IS NULL', [randomBytes(16).toString('hex')]);
    await runner.changeColumn('feed_clock', 'epoch', EPOCH);
  }
}
