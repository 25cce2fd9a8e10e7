import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { createDataSource } from '../connections/data-sources.js';
import { ENTITIES } from './entities.js';
import { FeedClock } from './feed-clock.entity.js';
import { EntityTable } from './entity-table.js';

const CLOCKS = EntityTable.of(FeedClock);

describe('the table of an entity', () => {
  it.each(ENTITIES.map((entity) => [entity.name, entity as new () => unknown] as const))(
    '%s: is what TypeORM makes of it',
    async (_, entity) => {
      const folder = mkdtempSync(join(tmpdir(), 'registry-entities-'));
      const database = join(folder, 'registry.sqlite');
      const source = createDataSource({ type: 'better-sqlite3', driver: Sqlite, database, entities: ENTITIES });
      await source.initialize();
      const { tableName, columns } = source.getMetadata(entity);
      const { table, columns: own } = EntityTable.of(entity);
      expect(table).toBe(tableName);
      expect(own).toEqual(columns.filter(({ referencedColumn }) => !referencedColumn).map((one) => one.databaseName));
      await source.destroy();
      rmSync(folder, { recursive: true });
    },
  );

  it('selects its columns under the names of the properties', () => {
    expect(CLOCKS.select()).toBe('id AS id, last_us AS lastUs, epoch AS epoch, copying AS copying');
    expect(CLOCKS.select((column) => `clock.${column}`)).toContain('clock.last_us AS lastUs');
  });

  it('converts rows whose BIGINT is text to entities, and entities to rows', () => {
    const clock = { id: 1, lastUs: 1_800_000_000_000_000, epoch: 'e', copying: null };
    expect(CLOCKS.toEntity({ ...clock, lastUs: '1800000000000000' })).toEqual(clock);
    expect(CLOCKS.toRows([clock, { copying: 'c', epoch: 'f', lastUs: 2, id: 3 }])).toEqual([
      [1, 1_800_000_000_000_000, 'e', null],
      [3, 2, 'f', 'c'],
    ]);
  });

  it('neither reads, converts nor writes the columns that are left out', () => {
    const part = CLOCKS.without('lastUs', 'copying');
    expect(part.columns).toEqual(['id', 'epoch']);
    expect(part.toEntity({ id: 1, epoch: 'e' })).toEqual({ id: 1, epoch: 'e' });
    expect(part.toRows([{ epoch: 'e', id: 1 }])).toEqual([[1, 'e']]);
  });
});
