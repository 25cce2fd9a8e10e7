import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { assetBody, ASSETS, post } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const WRITERS = 6;
const DEATHS = 10;
/** No divisor of the messages of a batch: a thread dies at each of them. */
const KILLED_EVERY = 23;
/** Of the commits. */
const UNANSWERED_EVERY = 7;

/** What the ledger sends to the thread. */
type Message = { run: { sql: string }[] } | string;

const isCommit = (message: Message): boolean =>
  typeof message === 'object' && message.run.some(({ sql }) => sql === 'COMMIT');

const { postMessage } = Worker.prototype as { postMessage: (this: Worker, message: Message) => void };

/** @param act called with each message in the place of sending it */
function intercept(act: (worker: Worker, message: Message) => void): void {
  jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message: Message) {
    act(this, message);
  });
}

describe('the thread that writes to the file', () => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(databases[0] as (typeof databases)[0]);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => registry?.stop());

  let tried = 0;
  const acknowledged: string[] = [];

  /** Of a write that was refused nobody knows whether it is there. @returns whether it was acknowledged */
  const write = async (): Promise<boolean> => {
    const title = `Written ${++tried}`;
    const { status } = await post(registry, assetBody({ title }));
    if (status === 201) acknowledged.push(title);
    else expect(status).toBe(503);
    return status === 201;
  };
  const expectEachOnce = async (): Promise<void> => {
    const rows = (await runSql(registry, 'SELECT body FROM asset')) as { body: string }[];
    const titles = rows.map(({ body }) => (JSON.parse(body) as { title: string }).title);
    const there = new Set(titles);
    expect(acknowledged.filter((title) => !there.has(title))).toEqual([]);
    expect(there.size).toBe(titles.length);
  };

  it('may die at any moment: what was acknowledged is there, nothing is twice, and the service goes on', async () => {
    let [sent, commits, deaths] = [0, 0, 0];
    const kill = (worker: Worker): void => {
      deaths++;
      void worker.terminate();
    };
    intercept((worker, message) => {
      postMessage.call(worker, message);
      if (++sent % KILLED_EVERY === 0) kill(worker);
      else if (isCommit(message) && ++commits % UNANSWERED_EVERY === 0)
        // It has committed, and nobody hears of it.
        worker.removeAllListeners('message').once('message', () => kill(worker));
    });
    const writeOn = async (): Promise<void> => {
      while (deaths < DEATHS) await write();
    };
    await Promise.all(Array.from({ length: WRITERS }, writeOn));
    jest.restoreAllMocks();
    await until(write);
    await expectEachOnce();
  });

  it('may hang: who writes is answered all the same, who reads meanwhile, and the service goes on', async () => {
    let isHanging = false;
    intercept((worker, message) => {
      if (!isHanging && isCommit(message)) isHanging = true;
      else postMessage.call(worker, message);
    });
    const answers: string[] = [];
    const written = write().finally(() => answers.push('to the writer'));
    await until(() => isHanging);
    expect((await registry.send(ASSETS)).status).toBe(200);
    answers.push('to the reader');
    await written;
    expect(answers).toEqual(['to the reader', 'to the writer']);
    await until(write);
    await expectEachOnce();
  });

  it('is there while another process has the file: the service starts, and is read', async () => {
    await registry.close();
    const other = new Sqlite(registry.databaseUrl.replace('sqlite:', ''));
    other.exec('BEGIN IMMEDIATE');
    try {
      registry = await TestRegistry.startOn(registry.databaseUrl);
      expect((await registry.send(ASSETS)).status).toBe(200);
    } finally {
      other.close();
    }
    await until(write);
  });
});
