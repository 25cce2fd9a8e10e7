import { describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { Dialect, DriverConnection, SessionSide } from '../dialects/dialect.js';
import { Session, padded } from './session.js';
import fc from 'fast-check';

const TARGET = { table: 't', columns: ['id', 'body'] };

/** Inserts bodies of these sizes. @returns the rows of each statement */
async function insert(bodies: readonly number[]): Promise<number[]> {
  const statements: { sql: string; values: readonly unknown[] }[] = [];
  const connection: Partial<DriverConnection> = {
    run: (sql, values) => Promise.resolve(void statements.push({ sql, values })),
  };
  const dialect: Partial<Dialect> = {
    connect: () => Promise.resolve(connection as DriverConnection),
    prepare: () => Promise.resolve(),
  };
  const session = await Session.open({} as DataSource, dialect as Dialect, 'writer');
  const rows = bodies.map((size, i) => [i, 'x'.repeat(size)]);
  await session.insertRows(TARGET, rows, 'AND SO ON');
  expect(statements.flatMap(({ values }) => values)).toEqual(rows.flat());
  for (const { sql, values } of statements) {
    expect(sql).toMatch(/^INSERT INTO t \(id, body\) VALUES (\(\?, \?\)(, )?)+ AND SO ON$/);
    expect(sql.split('?')).toHaveLength(values.length + 1);
  }
  return statements.map(({ values }) => values.length / 2);
}

describe('inserted rows', () => {
  it('are sent as a multiple of eight and a rest, so that there are few texts to prepare', async () => {
    expect(await insert([])).toEqual([]);
    expect(await insert(Array.from({ length: 21 }, () => 10))).toEqual([16, 5]);
    expect(await insert(Array.from({ length: 8 }, () => 10))).toEqual([8]);
  });

  it('make no statement larger than every server accepts, except for a single larger row', async () => {
    const KB = 1_024;
    expect(await insert([900, 900, 900, 3_000, 900, 10, 10, 10].map((size) => size * KB))).toEqual([1, 1, 1, 1, 4]);
  });

  it('bind no more values than a server allows', async () => {
    const rows = await insert(Array.from({ length: 40_000 }, () => 0));
    expect(Math.max(...rows) * TARGET.columns.length).toBeLessThanOrEqual(65_535);
  });
});

describe('a connection of a pool', () => {
  it('is prepared once for each side', async () => {
    const connection = {} as DriverConnection;
    const sides: string[] = [];
    const dialect: Partial<Dialect> = {
      connect: () => Promise.resolve(connection),
      prepare: (_, side) => Promise.resolve(void sides.push(side)),
    };
    const open = (side: SessionSide) => Session.open({} as DataSource, dialect as Dialect, side);
    for (const side of ['writer', 'writer', 'lane', 'lane'] as const) await open(side);
    expect(sides).toEqual(['writer', 'lane']);
  });

  it('is destroyed if it cannot be prepared', async () => {
    const destroy = jest.fn();
    const dialect: Partial<Dialect> = {
      connect: () => Promise.resolve({ destroy } as Partial<DriverConnection> as DriverConnection),
      prepare: () => Promise.reject(new Error('no autocommit')),
    };
    const opening = Session.open({} as DataSource, dialect as Dialect, 'lane');
    await expect(opening).rejects.toThrow('no autocommit');
    expect(destroy).toHaveBeenCalledTimes(1);
  });
});

describe('statements that are run together', () => {
  it('have all ended when the first failure is thrown, so that none runs after a ROLLBACK', async () => {
    const events: string[] = [];
    let endLate = (): void => undefined;
    const connection: Partial<DriverConnection> = {
      run: async (sql) => {
        events.push(sql);
        if (sql === 'fails') throw new Error(sql);
        await new Promise<void>((resolve) => (endLate = resolve));
      },
      together: (begin) => begin(),
    };
    const dialect: Partial<Dialect> = {
      connect: () => Promise.resolve(connection as DriverConnection),
      prepare: () => Promise.resolve(),
    };
    const session = await Session.open({} as DataSource, dialect as Dialect, 'writer');
    const twice = async (): Promise<void> => {
      await session.execute('late');
      events.push('later');
    };
    const failed = expect(session.together(() => [session.execute('fails'), twice()])).rejects.toThrow('fails');
    void failed.then(() => events.push('rejected'));
    await new Promise((resolve) => void setImmediate(resolve));
    endLate();
    await failed;
    expect(events).toEqual(['fails', 'late', 'later', 'rejected']);
  });
});

describe('the values of an IN', () => {
  it('are repeated up to a power of two', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 500 }), (values) => {
        const all = padded(values);
        expect(all.slice(0, values.length)).toEqual(values);
        expect(new Set(all)).toEqual(new Set(values));
        expect(Math.log2(all.length) % 1).toBe(0);
        expect(all.length).toBeLessThan(values.length * 2);
      }),
    );
  });
});
