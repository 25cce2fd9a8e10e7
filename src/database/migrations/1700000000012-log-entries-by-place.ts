import { type QueryRunner, TableIndex } from 'typeorm';

const BY_ASSET = new TableIndex({ name: 'ix_log_entry_asset', columnNames: ['asset'] });

/** Drops the index by asset, which no statement uses and which cost a page write for each entry. */
export class LogEntriesByPlace1700000000012 {
  async up(runner: QueryRunner): Promise<void> {
    const table = await runner.getTable('log_entry');
    if (table?.indices.some(({ name }) => name === BY_ASSET.name))
      await runner.dropIndex(table, BY_ASSET.name as string);
  }
}
