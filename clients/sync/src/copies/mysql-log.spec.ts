import { describe, expect, it } from '@jest/globals';
import type { Connection } from 'mysql2/promise';
import { MysqlLog } from './mysql-log.js';

describe('the log in MySQL', () => {
  it('is written in statements that a server takes, also where little is left of a state that had much', async () => {
    const sent: number[] = [];
    const query = async (_sql: string, [rows]: [string[][]]): Promise<void> => {
      sent.push(JSON.stringify(rows).length);
    };
    const opening = JSON.stringify({ secrets: [], erased: { '/items/0/description': 'x'.repeat(600_000) } });
    const row = {
      id: 'a'.repeat(32),
      dateModified: '2026-11-27T13:00:00.000000Z',
      entry: '{}',
      opening,
      document: '{}',
    };
    const rows = Array.from({ length: 100 }, (_, place) => ({ ...row, place }));
    await new MysqlLog({ query } as unknown as Connection).write(rows);
    expect(Math.max(...sent)).toBeLessThan(2_000_000);
    expect(sent).toHaveLength(50);
  });
});
