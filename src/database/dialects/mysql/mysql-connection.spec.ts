import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import mysql, { type Connection, type Pool, type PoolConnection } from 'mysql2';
import type { DataSource } from 'typeorm';
import { stackOf } from '../../../platform/logging/logger.js';
import { DeadlineError } from '../../connections/deadline.js';
import { StatementError, type DatabaseSide } from '../dialect.js';
import { MysqlConnection } from './mysql-connection.js';
import { MysqlDialect } from './mysql.dialect.js';

type Answered = (error: Error | null, result?: unknown) => void;

/** A connection to a fake driver. @param failure of prepared statements @param ofText failure of statements sent as text */
async function connected(side: DatabaseSide = 'writer', failure: Error | null = null, ofText: Error | null = null) {
  const asked: unknown[][] = [];
  const driver = {
    execute: (sql: string, values: unknown[], answered: Answered) => {
      asked.push(['prepared', sql, ...values]);
      answered(failure, ['rows']);
    },
    query: (sql: string, values: unknown[], answered: Answered) => {
      asked.push(['text', sql, ...values]);
      answered(ofText, ['rows']);
    },
    once: jest.fn(),
    unprepare: (sql: string) => asked.push(['forgotten', sql]),
  };
  const dataSource = { createQueryRunner: () => ({ connect: () => Promise.resolve(driver) }) } as unknown as DataSource;
  const take = (): Promise<MysqlConnection> => MysqlConnection.acquire(dataSource, side);
  return { connection: await take(), take, asked };
}

const numbered = (errno: number, message = 'x'): Error => Object.assign(new Error(message), { errno });

describe('a statement', () => {
  it('with values is prepared, with its integers bound as integers', async () => {
    const { connection, asked } = await connected();
    expect(await connection.run('SELECT ?, ?', ['a', 1_800_000_000_000_000n])).toEqual(['rows']);
    expect(asked).toEqual([['prepared', 'SELECT ?, ?', 'a', mysql.TypedParameter.BIGINT(1_800_000_000_000_000n)]]);
  });

  it('without values is sent as text', async () => {
    const { connection, asked } = await connected();
    await connection.run('START TRANSACTION', []);
    expect(asked).toEqual([['text', 'START TRANSACTION']]);
  });

  it('of a copier is sent as text', async () => {
    const { connection, asked } = await connected('copier');
    await connection.run('SELECT ?', [5n]);
    expect(asked).toEqual([['text', 'SELECT ?', 5n]]);
  });

  it('is sent as text if the server refuses to prepare more', async () => {
    const { connection, asked } = await connected('writer', numbered(1461));
    expect(await connection.run('SELECT ?', [5n])).toEqual(['rows']);
    expect(asked.at(-1)).toEqual(['text', 'SELECT ?', 5n]);
  });

  it.each([1243, 1615])('that the server has dropped (%d) is prepared again on the next try', async (number) => {
    const { connection, asked } = await connected('writer', numbered(number));
    const error: unknown = await connection.run('SELECT ?', ['a']).catch((reason: unknown) => reason);
    expect(new MysqlDialect().classifyFailure(error)).toBe('retry');
    expect(asked.at(-1)).toEqual(['forgotten', 'SELECT ?']);
  });

  it('that fails leaves no values in the error', async () => {
    const { connection } = await connected('writer', numbered(1062, "Duplicate entry 'secret'"));
    const error: unknown = await connection.run('SELECT ?', ['secret']).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatementError);
    expect(stackOf(error)).toContain('StatementError');
    expect(stackOf(error)).not.toContain('secret');
  });
});

describe('several statements at once', () => {
  /** A connection whose server answers the first `most` commands, and reacts to further ones with `beyond`. */
  async function connectedTo(most: number, beyond: (answered: Answered) => void) {
    const sent: string[] = [];
    const driver = {
      addCommand: jest.fn(),
      query: (sql: string, _: unknown[], answered: Answered) => {
        sent.push(sql);
        driver.addCommand(sql);
        if (sent.length <= most) answered(null, []);
        else beyond(answered);
      },
      once: jest.fn(),
      destroy: jest.fn(),
    };
    const dataSource = {
      createQueryRunner: () => ({ connect: () => Promise.resolve(driver) }),
    } as unknown as DataSource;
    return { connection: await MysqlConnection.acquire(dataSource, 'writer'), driver, sent };
  }

  it.each([
    [2, true],
    [1, false],
  ])('are accepted by a server, and not by a proxy that closes the connection after %i', async (most, isAccepted) => {
    const { connection, sent } = await connectedTo(most, (answered) => answered(new Error('lost')));
    expect(await connection.canPipeline()).toBe(isAccepted);
    expect(sent).toEqual(['SELECT 1', 'SELECT 1']);
  });

  it('are not accepted by a proxy that drops them', async () => {
    jest.useFakeTimers();
    const { connection, driver } = await connectedTo(1, () => undefined);
    const taken = connection.canPipeline();
    await jest.advanceTimersByTimeAsync(4_000);
    jest.useRealTimers();
    expect(await taken).toBe(false);
    expect(driver.destroy).toHaveBeenCalledTimes(1);
  });
});

describe('a silent server', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const driverOf = (connecting: Promise<object>): DataSource =>
    ({ createQueryRunner: () => ({ connect: () => connecting }) }) as unknown as DataSource;

  it.each<[DatabaseSide, number]>([
    ['writer', 6_000],
    ['copier', 1_801_000],
  ])('fails the statement of a %s and closes the connection after its deadline', async (side, ms) => {
    const destroy = jest.fn();
    const connection = await MysqlConnection.acquire(
      driverOf(Promise.resolve({ once: jest.fn(), query: () => undefined, destroy })),
      side,
    );
    let failure: unknown;
    connection.run('SELECT 1', []).catch((error: unknown) => (failure = error));
    await jest.advanceTimersByTimeAsync(ms - 1_100);
    expect([failure, destroy.mock.calls.length]).toEqual([undefined, 0]);
    await jest.advanceTimersByTimeAsync(1_100);
    expect(failure).toBeInstanceOf(DeadlineError);
    expect(destroy).toHaveBeenCalledTimes(1);
  });

  it('fails to connect after the deadline, and a late connection is released', async () => {
    const release = jest.fn();
    const late = new Promise<object>((resolve) => void setTimeout(() => resolve({ once: jest.fn(), release }), 10_000));
    let failure: unknown;
    MysqlConnection.acquire(driverOf(late), 'reader').catch((error: unknown) => (failure = error));
    await jest.advanceTimersByTimeAsync(4_000);
    expect(failure).toBeInstanceOf(DeadlineError);
    await jest.advanceTimersByTimeAsync(6_000);
    expect(release).toHaveBeenCalledTimes(1);
  });
});

describe('a packet out of order', () => {
  const FOUR_BYTES = Buffer.from([0, 0, 0, 0]);
  let server: { _server: Server; close: (closed: () => void) => void };
  let pool: Pool;
  /** The server's end of the connection. */
  let end: Connection & { stream: NodeJS.WritableStream; writeOk: () => void; sequenceId: number };
  let connection: MysqlConnection;

  beforeEach(async () => {
    // The driver logs it to the console.
    jest.spyOn(console, 'error').mockReturnValue();
    const greeting = { protocolVersion: 10, serverVersion: '8.0.36', connectionId: 1, statusFlags: 2 };
    server = mysql.createServer((client: Connection) => {
      end = client as typeof end;
      client.on('error', () => undefined);
      client.on('query', () => {
        end.sequenceId = 1;
        end.writeOk();
      });
      client.serverHandshake({ ...greeting, characterSet: 45, capabilityFlags: 0xff_f7_ff });
    }) as unknown as typeof server;
    await once(server._server.listen(0, '127.0.0.1'), 'listening');
    pool = mysql.createPool({ port: (server._server.address() as AddressInfo).port, connectionLimit: 1 });
    const take = promisify<PoolConnection>((taken) => pool.getConnection(taken));
    const dataSource = { createQueryRunner: () => ({ connect: take }) } as unknown as DataSource;
    connection = await MysqlConnection.acquire(dataSource, 'copier');
    await connection.run('SELECT 1', []);
  });
  afterEach(async () => {
    await promisify(pool.end.bind(pool))();
    end.stream.end();
    await promisify(server.close.bind(server))();
    jest.restoreAllMocks();
  });

  /** Delivers an unsolicited packet before the next statement, as a process finds one after it was frozen. */
  async function failureBefore(payload: Buffer): Promise<string> {
    const packet = Buffer.concat([FOUR_BYTES, payload]);
    packet.writeUIntLE(payload.length, 0, 3);
    end.stream.write(packet);
    const error: unknown = await connection.run('SELECT 2', []).then(
      (rows) => rows,
      (reason: unknown) => reason,
    );
    return error instanceof StatementError ? new MysqlDialect().classifyFailure(error) : 'none';
  }

  it.each([
    ['the client was idle for too long', Buffer.from('\xff\xbf\x0f#HY000no', 'latin1')],
    ['an answer to no statement', Buffer.from([0, 0, 0, 2, 0, 0, 0])],
  ])('closes the connection and is not used as an answer: %s', async (_, payload) => {
    expect(await failureBefore(payload)).toBe('lost');
    expect(connection.isOpen).toBe(false);
  });
});
