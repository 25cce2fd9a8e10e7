import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection } from 'mysql2/promise';
import { ASSETS, assetBody, change, LOT, type Owned, post, publish, read } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import { type Reply, TestRegistry } from '../support/registry.js';

/** More than a batch has. */
const GROUP = 70;
const TRIES = 3;

// A file has one writer, and no locks of rows.
describe.each(databases.filter(({ name }) => name !== 'SQLite'))(
  'an asset locked by another connection on $name',
  (kind) => {
    let registry: TestRegistry;
    let locker: Connection;
    let locked: Owned;
    let others: Owned[];

    beforeAll(async () => {
      registry = await TestRegistry.start(kind);
      const published: Owned[] = [];
      // A few at once, as a busy machine answers 503 to many.
      while (published.length < GROUP)
        published.push(...(await Promise.all(Array.from({ length: 10 }, () => publish(registry)))));
      [locked, ...others] = published as [Owned];
    });
    afterAll(() => registry?.stop());

    beforeEach(async () => {
      locker = await createConnection(registry.databaseUrl);
      // Otherwise InnoDB, when it splits the row's page, also locks a gap, and inserts there wait.
      await locker.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    });
    afterEach(() => locker?.end());
    /** As an operator does who reads the row in a transaction. */
    const lock = async (): Promise<void> => {
      await locker.beginTransaction();
      await locker.query('SELECT id FROM asset WHERE id = ? FOR UPDATE', [locked.id]);
    };
    const unlock = (): Promise<unknown> => locker.rollback();

    let quantity = 1;
    const changed = (owned: Owned): Promise<Reply> => change(registry, owned, { quantity: ++quantity });
    const movedAsOne = (members: readonly Owned[], status: string): Promise<Reply> =>
      registry.send(ASSETS, {
        method: 'PATCH',
        key: 'concierge',
        body: { data: members.map(({ id }) => ({ id, status, relatedLot: LOT })) },
      });
    const readAgain = (owned: Owned): Promise<Reply> => retryUnavailable(() => read(registry, owned));
    /** One after the other, as a client does that waits for its answers. */
    const writeOthers = async (): Promise<Reply[]> => {
      const replies: Reply[] = [];
      for (const other of others.slice(0, 5)) replies.push(await changed(other));
      return [...replies, await post(registry, assetBody())];
    };
    /**
     * Expects no refusal. A machine that stalls for seconds may have a write refused, so it tries again: a write that really waits for the
     * lock is refused each time.
     */
    const expectDone = async (attempt: () => Promise<Reply[]>): Promise<Reply[]> => {
      let replies = await attempt();
      for (let tries = 1; tries < TRIES && replies.some(({ status }) => status === 503); tries++) {
        console.warn('A write was refused: trying again');
        replies = await attempt();
      }
      expect(replies.filter(({ status }) => status >= 300).map(({ status, text }) => [status, text])).toEqual([]);
      return replies;
    };

    it('gets 503 at the time-out, and is not changed afterwards', async () => {
      await expectDone(async () => {
        await lock();
        const before = await readAgain(locked);
        const refused = changed(locked);
        const written = await writeOthers();
        expect((await refused).status).toBe(503);
        written.push(...(await writeOthers()));
        await unlock();
        written.push(...(await writeOthers()));
        expect((await readAgain(locked)).text).toBe(before.text);
        return written;
      });
    });

    it('delays its whole group, and no other write', async () => {
      const group = [locked, ...others];
      await expectDone(async () => {
        expect((await retryUnavailable(() => movedAsOne(group, 'pending'))).status).toBe(200);
        await lock();
        const waiting = movedAsOne(group, 'active');
        const written = await writeOthers();
        await unlock();
        return [...written, await waiting];
      });
      const states = await Promise.all(group.map(readAgain));
      expect(new Set(states.map(({ json }) => json.data.status as string))).toEqual(new Set(['active']));
      // The other tests change them.
      expect((await retryUnavailable(() => movedAsOne(group, 'pending'))).status).toBe(200);
    });
  },
);
