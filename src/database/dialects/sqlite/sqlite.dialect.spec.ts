import { describe, expect, it } from '@jest/globals';
import { SqliteDialect } from './sqlite.dialect.js';

describe('the disk under an SQLite file', () => {
  it('is that of its folder, of which the system keeps a part for itself', async () => {
    const asked: string[] = [];
    const dialect = new SqliteDialect('/some/folder/registry.sqlite', (path) => {
      asked.push(path);
      return Promise.resolve({ bavail: 20, blocks: 400 });
    });
    expect(await dialect.freeDisk()).toBe(0.05);
    expect(asked).toEqual(['/some/folder']);
  });

  it('is read from the system', async () => {
    const free = await new SqliteDialect('registry.sqlite').freeDisk();
    expect(free).toBeGreaterThanOrEqual(0);
    expect(free).toBeLessThanOrEqual(1);
  });
});
