import { describe, expect, it } from '@jest/globals';
import mysql from 'mysql2';
import type { DataSource } from 'typeorm';
import { stackOf } from '../../../logging/logger.js';
import { StatementError } from '../../statement-error.js';
import { MysqlConnection } from './mysql-connection.js';
import { MysqlDialect } from './mysql.dialect.js';

type Answered = (error: Error | null, result?: unknown) => void;

/** A connection whose server fails prepared statements as it is told, and what it was asked. */
async function connected(prepares = true, failure: Error | null = null) {
  const asked: unknown[][] = [];
  const driver = {
    execute: (sql: string, values: unknown[], answered: Answered) => {
      asked.push(['prepared', sql, ...values]);
      answered(failure, ['rows']);
    },
    query: (sql: string, values: unknown[], answered: Answered) => {
      asked.push(['text', sql, ...values]);
      answered(null, ['rows']);
    },
    unprepare: (sql: string) => asked.push(['forgotten', sql]),
  };
  const dataSource = { driver: { obtainMasterConnection: () => Promise.resolve(driver) } } as unknown as DataSource;
  const take = (): Promise<MysqlConnection> => MysqlConnection.acquire(dataSource, prepares);
  return { connection: await take(), take, asked };
}

const numbered = (errno: number, message = 'x'): Error => Object.assign(new Error(message), { errno });

describe('a statement', () => {
  it('with values is kept prepared, its integers bound as such', async () => {
    const { connection, asked } = await connected();
    expect(await connection.run('SELECT ?, ?', ['a', 1_800_000_000_000_000n])).toEqual(['rows']);
    expect(asked).toEqual([['prepared', 'SELECT ?, ?', 'a', mysql.TypedParameter.BIGINT(1_800_000_000_000_000n)]]);
  });

  it('without values is sent as it stands', async () => {
    const { connection, asked } = await connected();
    await connection.run('START TRANSACTION', []);
    expect(asked).toEqual([['text', 'START TRANSACTION']]);
  });

  it('of a copier is sent as it stands', async () => {
    const { connection, asked } = await connected(false);
    await connection.run('SELECT ?', [5n]);
    expect(asked).toEqual([['text', 'SELECT ?', 5n]]);
  });

  it('is sent as it stands where the server keeps no more prepared ones', async () => {
    const { connection, asked } = await connected(true, numbered(1461));
    expect(await connection.run('SELECT ?', [5n])).toEqual(['rows']);
    expect(asked.at(-1)).toEqual(['text', 'SELECT ?', 5n]);
  });

  it.each([1243, 1615])('that the server has forgotten (%d) is tried again, prepared anew', async (number) => {
    const { connection, asked } = await connected(true, numbered(number));
    const error: unknown = await connection.run('SELECT ?', ['a']).catch((reason: unknown) => reason);
    expect(new MysqlDialect().failureOf(error)).toBe('retry');
    expect(asked.at(-1)).toEqual(['forgotten', 'SELECT ?']);
  });

  it('that fails leaves nothing of its values in the log', async () => {
    const { connection } = await connected(true, numbered(1062, "Duplicate entry 'secret'"));
    const error: unknown = await connection.run('SELECT ?', ['secret']).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatementError);
    expect(stackOf(error)).toContain('StatementError');
    expect(stackOf(error)).not.toContain('secret');
  });
});

describe('a connection of the pool', () => {
  it('is the same one whenever it is handed out, so that it is checked once', async () => {
    const { connection, take } = await connected();
    expect(await take()).toBe(connection);
  });
});
