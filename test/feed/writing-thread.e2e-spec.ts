import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { assetBody, ASSETS, post, read } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const WRITERS = 6;
const WRITES_EACH = 40;
/** No divisor of the messages of a batch: a thread dies at each of them. */
const KILLED_EVERY = 23;
const LONGEST_MS = 20_000;

/** What the ledger sends to the thread. */
type Message = { run: { sql: string }[] } | string;

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

  const goesOn = (): Promise<void> => until(async () => (await post(registry, assetBody())).status === 201);
  const count = async (): Promise<number> => {
    const rows = (await runSql(registry, 'SELECT COUNT(DISTINCT asset_id) AS n, COUNT(*) AS all_n FROM asset')) as [
      { n: number; all_n: number },
    ];
    expect(rows[0].n).toBe(rows[0].all_n);
    return rows[0].n;
  };

  it('may die at any moment: what was acknowledged is there once, and the service goes on', async () => {
    let [sent, killed] = [0, 0];
    intercept((worker, message) => {
      postMessage.call(worker, message);
      if (++sent % KILLED_EVERY !== 0) return;
      killed++;
      void worker.terminate();
    });
    const acknowledged: string[] = [];
    const write = async (): Promise<void> => {
      for (let i = 0; i < WRITES_EACH; i++) {
        const { status, json } = await post(registry, assetBody());
        if (status === 201) acknowledged.push(json.data.id);
        else expect(status).toBe(503);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    jest.restoreAllMocks();
    await goesOn();
    expect(killed).toBeGreaterThan(2);
    for (const id of acknowledged) expect((await read(registry, { id })).status).toBe(200);
    expect(await count()).toBeGreaterThan(acknowledged.length);
  });

  it('may hang: whoever writes is answered within 8 s, who reads at once, and the service goes on', async () => {
    let isHanging = true;
    intercept((worker, message) => {
      const isCommit = typeof message === 'object' && message.run.some(({ sql }) => sql === 'COMMIT');
      if (isHanging && isCommit) isHanging = false;
      else postMessage.call(worker, message);
    });
    const before = await count();
    const beganMs = performance.now();
    const written = post(registry, assetBody());
    await until(() => !isHanging);
    expect((await registry.send(ASSETS)).status).toBe(200);
    const { status } = await written;
    expect(performance.now() - beganMs).toBeLessThan(LONGEST_MS);
    expect(await count()).toBe(before + (status === 201 ? 1 : 0));
    await goesOn();
  });
});
