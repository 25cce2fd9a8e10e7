import { beforeEach, describe, expect, it } from '@jest/globals';
import { AssetReader } from './asset-reader.js';
import type { Database } from '../database.js';
import { SqliteDialect } from '../dialects/sqlite/sqlite.dialect.js';
import { PAGE_BYTES } from './page-size-limit.js';

/** Bytes of the bodies, by their ids. */
let table: Map<string, number>;
/** How many different ids each statement asked for. */
let asked: number[];
let reader: AssetReader;

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `id ${i}`);
const fill = (count: number, bytes: number): void => {
  table = new Map(ids(count).map((id) => [id, bytes]));
};
const read = async (of: readonly string[]): Promise<[found: string[], ofFirst: number]> => {
  const { assets, ofFirst } = await reader.findFitting(of);
  return [assets.map(({ id }) => id), ofFirst];
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

describe('several assets are read', () => {
  it('in the order of their ids, some at a time, without those that are gone', async () => {
    fill(150, 1_000);
    table.delete('id 3');
    expect(await read(ids(150))).toEqual([ids(150).filter((id) => id !== 'id 3'), 150]);
    expect(asked).toEqual([64, 64, 22]);
  });

  it('as many of the first ones as fit into a page, and no more of them are asked for', async () => {
    const fitting = 70;
    fill(150, Math.floor(PAGE_BYTES / fitting));
    table.delete('id 0');
    expect(await read(ids(150))).toEqual([ids(fitting + 1).slice(1), fitting + 1]);
    expect(asked).toEqual([64, 64]);
  });

  it('one in any case', async () => {
    fill(2, 2 * PAGE_BYTES);
    expect(await read(['gone', ...ids(2)])).toEqual([['id 0'], 2]);
  });

  it('and none of no ids', async () => {
    expect(await read([])).toEqual([[], 0]);
    expect(asked).toEqual([]);
  });
});
