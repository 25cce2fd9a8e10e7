import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { PreparedStatements } from './prepared-statements.js';

describe('the prepared statements of a handle', () => {
  let handle: Sqlite.Database;

  beforeEach(() => {
    handle = new Sqlite(':memory:');
    handle.exec(
      'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT); CREATE INDEX by_a ON t (a); CREATE INDEX by_b ON t (b)',
    );
    // Nearly all have the same `a`; a hundred have the same `b`.
    const rows =
      'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) SELECT i, i = 1, i % 100 FROM n';
    handle.exec(`INSERT INTO t ${rows}; ANALYZE`);
  });
  afterEach(() => {
    handle.close();
  });

  it('are not prepared again for another value: the plan stays the same', () => {
    const sql = 'EXPLAIN QUERY PLAN SELECT id FROM t WHERE a = ? AND b = ?';
    const planOf = (statement: Sqlite.Statement, a: number): unknown =>
      (statement.get(a, '5') as { detail: string }).detail;
    const plain = handle.prepare(sql);
    expect(planOf(plain, 1)).not.toBe(planOf(plain, 0));
    const kept = new PreparedStatements(handle).prepare(sql);
    expect(planOf(kept, 1)).toBe(planOf(kept, 0));
  });

  it.each([
    [
      'SELECT id FROM t WHERE a = ? AND b <> ? AND id BETWEEN ? AND ? LIMIT ?',
      [0, '5', 1, 9, 3],
      [{ id: 2 }, { id: 3 }, { id: 4 }],
    ],
    ['SELECT id FROM t WHERE b = ? AND id < ? AND id >= ?', ['5', 300n, 105n], [{ id: 105 }, { id: 205 }]],
    [
      'SELECT typeof(id + ?) AS type, ? AS text, ? AS bytes FROM t WHERE id = ?',
      [1n, 'ї', Buffer.from('ґ'), 7],
      [{ type: 'integer', text: 'ї', bytes: Buffer.from('ґ') }],
    ],
    [
      'UPDATE t SET b = ? WHERE id = ? RETURNING b, typeof(b) AS type',
      [Buffer.from('ї'), 7],
      [{ b: Buffer.from('ї'), type: 'blob' }],
    ],
  ])('answer like unchanged ones: %s', (sql, values, rows) => {
    expect(handle.prepare(sql).all(...values)).toEqual(rows);
    expect(new PreparedStatements(handle).run(sql, values)).toEqual(rows);
  });
});
