import { describe, expect, it } from '@jest/globals';
import { DeadlineError } from '../../connections/deadline.js';
import type { StatementRunner } from '../statement-runner.js';
import { DatabaseUnusableError, type SessionSide } from '../dialect.js';
import { judgeDurability, MysqlDialect } from './mysql.dialect.js';
import { checkSettings, type ServerSettings } from './mysql-settings.js';

const SOUND: ServerSettings = {
  version: '10.11.6-MariaDB',
  sql_mode: 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
  client: 'utf8mb4',
  connection: 'utf8mb4',
  results: 'utf8mb4',
  database: 'utf8mb4',
  packet: 16_777_216,
};

describe('durability by the server’s settings', () => {
  it.each([
    ['binary log and redo log synced', 1, 1, 1, false, /^strict$/, false],
    ['no binary log', 0, 0, 1, true, /read barrier/, true],
    ['a binary log that is not synced', 1, 0, 1, false, /not strict/, true],
    ['a redo log that is not flushed', 1, 1, 2, false, /not strict/, true],
    ['neither', 0, 0, 0, false, /not strict/, true],
  ])('%s', (_, logBin, syncBinlog, flush, needsBarrier, expectedSummary, warns) => {
    const judged = judgeDurability(logBin, syncBinlog, flush);
    expect(judged.needsBarrier).toBe(needsBarrier);
    expect(judged.summary).toMatch(expectedSummary);
    expect(judged.warning !== undefined).toBe(warns);
  });
});

describe('a server that must not be used', () => {
  it('does not have the usual settings', () => {
    expect(() => checkSettings(SOUND)).not.toThrow();
  });

  it.each([
    ['truncates values silently', { sql_mode: '' }, /STRICT_TRANS_TABLES/],
    ['reads a backslash as itself', { sql_mode: 'STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES' }, /NO_BACKSLASH_ESCAPES/],
    ['reads double quotes as names', { sql_mode: 'STRICT_ALL_TABLES,ANSI_QUOTES' }, /ANSI_QUOTES/],
    ['creates tables with latin1', { database: 'latin1' }, /character_set_database is latin1/],
    ['refuses the largest assets', { packet: 1_048_576 }, /max_allowed_packet/],
    ['speaks latin1', { connection: 'latin1' }, /character_set_connection is latin1/],
  ])('%s', (_, settings, sentence) => {
    expect(() => checkSettings({ ...SOUND, ...settings })).toThrow(sentence);
  });
});

describe('a new connection', () => {
  let dialect: MysqlDialect;

  /** @returns the statements that configure a connection to a server with these settings */
  async function configuration(
    variables: Record<string, string>,
    server: object = {},
    side: SessionSide = 'writer',
  ): Promise<string> {
    dialect = new MysqlDialect();
    const rows = Object.entries(variables).map(([Variable_name, Value]) => ({ Variable_name, Value }));
    const statements: string[] = [];
    const query = (sql: string): Promise<unknown[]> => {
      statements.push(sql);
      return Promise.resolve(sql.includes('VERSION()') ? [{ ...SOUND, ...server }] : rows);
    };
    await dialect.prepare({ query } as unknown as StatementRunner, side);
    return statements.slice(1).join('; ');
  }

  it('to a cluster node waits for commits of the other nodes', async () => {
    expect(await configuration({ wsrep_on: 'ON' })).toContain('wsrep_sync_wait = 7');
    expect(await configuration({ wsrep_on: 'OFF' })).not.toContain('wsrep_sync_wait');
  });

  it.each([
    ['MariaDB', {}, /SESSION idle_transaction_timeout = [1-9]/],
    ['MySQL', { version: '8.4.0' }, /SESSION wait_timeout = [1-9]$/],
  ])('to %s limits how long a frozen process may keep the clock locked', async (_, server, limit) => {
    expect(await configuration({}, server)).toMatch(limit);
  });

  it.each(['10.11.6-MariaDB', '8.4.0'])('to %s limits how long a statement waits for a table', async (version) => {
    expect(await configuration({}, { version })).toMatch(/SESSION lock_wait_timeout = 2,/);
  });

  it.each([
    ['is MySQL', '9.7.4-2', {}, true],
    ['is MariaDB', '10.11.6-MariaDB', { aria_block_size: '8192' }, false],
    ['is MariaDB with another version string', '8.0.36', { aria_block_size: '8192' }, false],
  ])('to a server that %s: read views count as atomic only on MySQL', async (_, version, variables, atomic) => {
    await configuration(variables, { version });
    expect(dialect.atomicViews).toBe(atomic);
  });

  it('of the lane has no autocommit', async () => {
    expect(await configuration({}, {}, 'lane')).toMatch(/SESSION autocommit = 0$/);
  });

  it('has a read view for each statement', async () => {
    expect(await configuration({})).toContain('ISOLATION LEVEL READ COMMITTED');
  });
});

describe('failures', () => {
  const classifyFailure = (error: object): string =>
    new MysqlDialect().classifyFailure(Object.assign(new Error('x'), error));

  it.each([
    ['retry', { errno: 1213 }],
    ['retry', { driverError: { errno: 3101 } }],
    ['away', { errno: 1047 }],
    ['lost', { driverError: { code: 'ECONNRESET' } }],
    ['away', { code: 'ECONNREFUSED' }],
    // A full disk, for a table and for the file of a large transaction.
    ['refused', { errno: 1114 }],
    ['refused', { errno: 3, code: 'EE_WRITE' }],
    // A database that an operator made read-only, and a statement time-out.
    ['refused', { errno: 3989 }],
    ['refused', { errno: 1969 }],
    ['away', { message: 'Queue limit reached.' }],
    ['defect', { errno: 1062 }],
  ])('%s: %j', (expected, error) => expect(classifyFailure(error)).toBe(expected));
});

describe('the description of a failure', () => {
  const dialect = new MysqlDialect();
  const byNumber = Array.from({ length: 4_200 }, (_, errno) => ({ errno, code: `ER_${errno}` }));

  it('has words for every server error that is away or refused, and only the code for a defect', () => {
    const withoutWords = byNumber.filter((error) => dialect.describeFailure(error) === `its answer is ${error.code}`);
    const failures = withoutWords.map((error) => dialect.classifyFailure(error));
    expect(failures).not.toContain('away');
    expect(failures).not.toContain('refused');
    const withWords = byNumber.filter((error) => !withoutWords.includes(error));
    expect(withWords.length).toBeGreaterThan(20);
    expect(withWords.filter((error) => dialect.classifyFailure(error) === 'defect')).toEqual([]);
  });

  it.each([
    [{ errno: 1045 }, 'it refuses the user or the password of DATABASE_URL, or asks for TLS'],
    [{ driverError: { errno: 1290 } }, 'it is read-only'],
    [{ code: 'ECONNREFUSED', errno: -111 }, 'nothing listens at its address'],
    [new DeadlineError(), 'it does not answer in time'],
    [new DatabaseUnusableError('its settings are wrong'), 'its settings are wrong'],
    [new Error('user secret of host db1'), 'its answer is an unknown error'],
  ])('of %j is a clause without secrets', (error, clause) => expect(dialect.describeFailure(error)).toBe(clause));
});
