import { cpSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { createConnection } from 'mysql2/promise';
import { loadServiceHere } from '../support/loaded-service.js';
import type { Ended } from '../support/process.js';
import { processList } from '../support/process-list.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

/** State left by a command that was killed during or after its transaction. */
export interface Left {
  databaseUrl: string;
  /** Whether its COMMIT was executed. */
  isCommitted: boolean;
  /** The command's result after it lost its connection; for a file, that of the complete run. */
  ended: Ended;
}

/** Runs a command in this process, on that database. */
type Run = (databaseUrl: string) => Promise<Ended>;

const SQLITE = 'sqlite:';
/** A stalled machine makes a command fail now and then; the limit ends the test if it always fails. */
const MAX_FAILURES = 10;

/**
 * Interrupts a command after each statement, beginning with the first one of its transaction.
 * @param folder for copies of an SQLite file; a server's database is the same one each time
 */
export function interruptedRuns(databaseUrl: string, run: Run, folder: string): AsyncGenerator<Left> {
  return databaseUrl.startsWith(SQLITE) ? ofFile(databaseUrl, run, folder) : ofServer(databaseUrl, run);
}

/** For a server, a cut connection is the same as a killed client: it rolls back. */
async function* ofServer(databaseUrl: string, run: Run): AsyncGenerator<Left> {
  for await (const { ended, isLast, isCommitted } of interruptedOnServer(databaseUrl, run)) {
    if (isLast) throw new Error(`The command ended before it was interrupted: ${ended.output}`);
    yield { databaseUrl, isCommitted, ended };
    if (isCommitted) return;
  }
}

/** State left on a server by one run of a command. */
interface Broken {
  /** Whether the last statement that was done was a COMMIT. */
  isCommitted: boolean;
  /** Whether it ran to its end without an interruption. */
  isLast: boolean;
  ended: Ended;
}

/**
 * Interrupts a command after each statement that it sends to a server, in any transaction, until a run completes.
 * @param step interrupts after every `step` statements only
 */
export async function* interruptedOnServer(databaseUrl: string, run: Run, step = 1): AsyncGenerator<Broken> {
  const target = new URL(databaseUrl);
  const proxy = new TcpProxy(target);
  const throughProxy = await proxy.open();
  const name = target.pathname.slice(1);
  target.pathname = '/';
  // Connected to no database, because some commands need exclusive use of theirs.
  const asker = await createConnection(target.href);
  const areGone = async (): Promise<boolean> => (await processList(asker)).every(({ database }) => database !== name);
  try {
    let failures = 0;
    for (let statements = 1; ;) {
      proxy.statementsLeft = statements;
      const ended = await run(throughProxy);
      const isCut = proxy.statementsLeft <= 0;
      // Its locks are released once the server has closed its connection.
      await until(areGone);
      if (!isCut && ended.code !== 0) {
        // It failed without an interruption: the same again.
        if (++failures > MAX_FAILURES) throw new Error(`It fails without being interrupted: ${ended.output}`);
        continue;
      }
      yield { isCommitted: proxy.wasCommitCut, isLast: !isCut, ended };
      if (!isCut) return;
      statements += step;
    }
  } finally {
    await asker.end();
    await proxy.close();
  }
}

/**
 * A killed process leaves the file and its WAL as they are at that moment. So they are copied after each statement of one run if
 * they have changed.
 */
async function* ofFile(databaseUrl: string, run: Run, folder: string): AsyncGenerator<Left> {
  const path = databaseUrl.slice(SQLITE.length);
  const copies: Omit<Left, 'ended'>[] = [];
  let [last, isBegun, isCommitted] = ['', false, false];
  const copy = (sql: string): void => {
    isBegun ||= sql.startsWith('BEGIN');
    isCommitted ||= sql === 'COMMIT';
    const endings = ['', '-wal'].filter((ending) => existsSync(path + ending));
    const bytes = endings.map((ending) => readFileSync(path + ending, 'latin1')).join('\n');
    if (!isBegun || bytes === last) return;
    last = bytes;
    const target = join(mkdtempSync(join(folder, 'left-')), 'registry.sqlite');
    for (const ending of endings) cpSync(path + ending, target + ending);
    copies.push({ databaseUrl: SQLITE + target, isCommitted });
  };
  const stop = afterEachStatement(copy);
  const ended = await run(databaseUrl).finally(stop);
  if (!isCommitted) throw new Error(`The command has committed nothing: ${ended.output}`);
  for (const one of copies) yield { ...one, ended };
}

type Method = (this: unknown, ...values: never[]) => unknown;

/** Calls `notify` after each statement of SQLite in this thread. @returns a function that stops this */
function afterEachStatement(notify: (sql: string) => void): () => void {
  loadServiceHere();
  const notifying = (sql: string, method: unknown): never =>
    function (this: unknown, ...values: never[]) {
      const result = (method as Method).apply(this, values);
      notify(sql);
      return result;
    } as never;
  // oxlint-disable-next-line typescript/unbound-method -- each is called with the database that it is asked of
  const { prepare, exec, pragma } = Sqlite.prototype;
  const of = jest.spyOn(Sqlite.prototype, 'prepare').mockImplementation(function (this: Sqlite.Database, sql) {
    // A tiny cache writes uncommitted pages to the WAL, as a change larger than the cache does.
    if (sql.startsWith('BEGIN')) pragma.call(this, 'cache_size = 1');
    const statement = prepare.call(this, sql);
    for (const name of ['run', 'all', 'get'] as const)
      Object.defineProperty(statement, name, { value: notifying(sql, statement[name]) });
    return statement;
  });
  const others = [
    jest.spyOn(Sqlite.prototype, 'exec').mockImplementation(function (this: Sqlite.Database, sql) {
      return (notifying(sql, exec) as typeof exec).call(this, sql);
    }),
    jest.spyOn(Sqlite.prototype, 'pragma').mockImplementation(function (this: Sqlite.Database, ...words) {
      return (notifying(words[0], pragma) as typeof pragma).apply(this, words);
    }),
  ];
  return () => {
    for (const spy of [of, ...others]) spy.mockRestore();
  };
}
