import { expect, it } from '@jest/globals';
import type { Connection } from 'mysql2/promise';
import { MysqlDatabase } from './mysql-database.js';

it('rows are written in statements that a server takes, also where little is left of a state that had much', async () => {
  const sent: number[] = [];
  const query = async (_sql: string, [rows]: [string[][]]): Promise<void> => {
    sent.push(JSON.stringify(rows).length);
  };
  const opening = JSON.stringify({ secrets: [], erased: { '/items/0/description': 'x'.repeat(600_000) } });
  const rows = Array.from({ length: 100 }, (_, place) => [place, opening, '{}']);
  await new MysqlDatabase('x', { query } as unknown as Connection).replace('t', ['place', 'opening', 'document'], rows);
  expect(Math.max(...sent)).toBeLessThan(2_000_000);
  expect(sent).toHaveLength(50);
});
