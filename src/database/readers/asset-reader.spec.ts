import { beforeEach, describe, expect, it } from '@jest/globals';
import { AssetReader } from './asset-reader.js';
import type { Database } from '../database.js';
import { SqliteDialect } from '../dialects/sqlite/sqlite.dialect.js';
import { PAGE_BYTES } from './page-size-limit.js';

/** Sizes of the bodies in bytes, by id. */
let table: Map<string, number>;
/** Number of different ids in each statement. */
let asked: number[];
let reader: AssetReader;

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `id ${i}`);
const fill = (count: number, bytes: number): void => {
  table = new Map(ids(count).map((id) => [id, bytes]));
};
const read = async (of: readonly string[]): Promise<[found: string[], idsRead: number]> => {
  const { assets, idsRead } = await reader.findFitting(of);
  return [assets.map(({ id }) => id), idsRead];
};

beforeEach(() => {
  asked = [];
  const database: Partial<Database> = {
    dialect: new SqliteDialect('none'),
    read: <Row>(_: string, values: readonly unknown[] = []) => {
      const wanted = new Set(values as string[]);
      asked.push(wanted.size);
      const rows = [...table]
        .filter(([id]) => wanted.has(id))
        .map(([id, bytes]) => ({ id, body: Buffer.alloc(bytes) }));
      return Promise.resolve(rows.toReversed() as Row[]);
    },
  };
  reader = new AssetReader(database as Database);
});

describe('several assets', () => {
  it('are read in the order of the ids, in portions, without missing ones', async () => {
    fill(150, 1_000);
    table.delete('id 3');
    expect(await read(ids(150))).toEqual([ids(150).filter((id) => id !== 'id 3'), 150]);
    expect(asked).toEqual([64, 64, 22]);
  });

  it('are read up to the size of a page, without statements for the others', async () => {
    const fitting = 70;
    fill(150, Math.floor(PAGE_BYTES / fitting));
    table.delete('id 0');
    expect(await read(ids(150))).toEqual([ids(fitting + 1).slice(1), fitting + 1]);
    expect(asked).toEqual([64, 64]);
  });

  it('are at least one', async () => {
    fill(2, 2 * PAGE_BYTES);
    expect(await read(['gone', ...ids(2)])).toEqual([['id 0'], 2]);
  });

  it('are none for no ids', async () => {
    expect(await read([])).toEqual([[], 0]);
    expect(asked).toEqual([]);
  });
});
