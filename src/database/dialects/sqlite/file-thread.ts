import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { type FilesThere, isMoved, MOVED } from './file-place.ts';
import { PreparedStatements } from './prepared-statements.ts';

/** What the thread is started with. */
export interface ThreadOrder {
  /** One that reads begins no transactions: each of its statements sees what was committed before it. */
  does: 'write' | 'read';
  /** Path of the database's file, which exists. */
  path: string;
  /** What stood there when the service opened it; of no matter to one that reads. */
  files: FilesThere;
  /** How long it waits for another process's lock, in milliseconds. */
  busyMs: number;
  /** Settings of its handle, such as `synchronous = FULL`. */
  pragmas: readonly string[];
}

/** A statement, and the values of its placeholders. */
export interface AskedStatement {
  sql: string;
  values: readonly unknown[];
}

/**
 * What it is told: to run statements in their order, each whatever becomes of those before it; to roll back what is open; to end. A
 * transaction begins with its first statement, as on a server without autocommit.
 */
export type Asked = { run: readonly AskedStatement[] } | 'roll back' | 'end';

/** What became of a statement: its rows or `{}`, or the driver's error, which would lose its code on the way. */
export type Answered = { result: unknown } | { failed: { message: string; code: unknown } };

/** What Node warns of in the thread: its text would go to standard error as it is. */
export interface Warned {
  warning: string;
  code: string | undefined;
  message: string;
}

/** Of bytes: of fewer a copy is as good. */
const LARGE = 64 * 1024;
const ENDS: ReadonlySet<string> = new Set(['COMMIT', 'ROLLBACK']);
const { does, path, files, busyMs, pragmas } = workerData as ThreadOrder;
const handle = new Sqlite(path, { timeout: busyMs, fileMustExist: true, readonly: does === 'read' });
for (const pragma of pragmas) handle.pragma(pragma);
const statements = new PreparedStatements(handle);
/** Whether nothing was asked of the transaction that would end next. */
let isEmpty = true;

// There is no listener of Node's own where nobody wants to read that.
if (process.listenerCount('warning') > 0) {
  process.removeAllListeners('warning');
  process.on('warning', ({ name: warning, code, message }: NodeJS.ErrnoException) =>
    parentPort?.postMessage({ warning, code, message } satisfies Warned),
  );
}

parentPort?.on('message', (asked: Asked) => {
  if (asked === 'end') end();
  else if (asked === 'roll back') rollBack();
  else reply(answersTo(asked.run));
});

/** Large bodies go as they are, and not as copies. */
function reply(answers: readonly Answered[]): void {
  parentPort?.postMessage(answers, answers.flatMap(largeOf));
}

function largeOf(answer: Answered): ArrayBuffer[] {
  if (!('result' in answer) || !Array.isArray(answer.result)) return [];
  const values = (answer.result as object[]).flatMap((row) => Object.values(row) as unknown[]);
  return values.flatMap((value) =>
    value instanceof Uint8Array && value.length >= LARGE && value.length === value.buffer.byteLength
      ? (value.buffer as ArrayBuffer)
      : [],
  );
}

function answersTo(run: readonly AskedStatement[]): Answered[] {
  // Who has the file has it for all of them: none waits anew.
  let refused: Answered | undefined;
  const answerTo = ({ sql, values }: AskedStatement): Answered => {
    if (endsNothing(sql)) return { result: {} };
    if (sql === 'COMMIT' && isMoved(files)) return notCommitted();
    if (does === 'write' && !handle.inTransaction && !ENDS.has(sql))
      refused ??= failureOf(() => statements.run('BEGIN IMMEDIATE', []));
    return refused ?? answerOf(() => statements.run(sql, values));
  };
  return run.map((asked) => {
    const answer = answerTo(asked);
    isEmpty = ENDS.has(asked.sql) && 'result' in answer;
    return answer;
  });
}

/** What was to be committed and is not there any more is an error. */
function endsNothing(sql: string): boolean {
  return ENDS.has(sql) && !handle.inTransaction && (isEmpty || sql === 'ROLLBACK');
}

function notCommitted(): Answered {
  rollBack();
  return { failed: { message: 'The file is not at its path any more', code: MOVED } };
}

function failureOf(work: () => unknown): Answered | undefined {
  const answer = answerOf(work);
  return 'failed' in answer ? answer : undefined;
}

function answerOf(work: () => unknown): Answered {
  try {
    return { result: work() };
  } catch (error) {
    const { message, code } = error as Error & { code: unknown };
    return { failed: { message, code } };
  }
}

function rollBack(): void {
  if (handle.inTransaction) handle.exec('ROLLBACK');
}

function end(): void {
  handle.close();
  parentPort?.close();
}
