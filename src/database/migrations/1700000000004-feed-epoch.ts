import { randomBytes } from 'node:crypto';
import { type MigrationInterface, type QueryRunner, TableColumn } from 'typeorm';

const epoch = (isNullable: boolean): TableColumn =>
  new TableColumn({ name: 'epoch', type: 'varchar', length: '32', isNullable });

/** Which history the feed tells, and whether it is whole. */
export class FeedEpoch1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE feed_clock ADD COLUMN copying varchar(64) NULL');
    // In three steps, because the databases give no default: the table has one row.
    await runner.addColumn('feed_clock', epoch(true));
    await runner.query('UPDATE feed_clock SET epoch = ?', [randomBytes(16).toString('hex')]);
    await runner.changeColumn('feed_clock', 'epoch', epoch(false));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn('feed_clock', 'epoch');
    await runner.query('ALTER TABLE feed_clock DROP COLUMN copying');
  }
}
