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
describe.each(databases.filter(({ name }) => name !== 'SQLite'))('an asset that somebody holds on $name', (kind) => {
  let registry: TestRegistry;
  let holder: Connection;
  let held: Owned;
  let others: Owned[];

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    const published: Owned[] = [];
    // A few at once, as a busy machine answers 503 to many.
    while (published.length < GROUP)
      published.push(...(await Promise.all(Array.from({ length: 10 }, () => publish(registry)))));
    [held, ...others] = published as [Owned];
  });
  afterAll(() => registry?.stop());

  beforeEach(async () => {
    holder = await createConnection(registry.databaseUrl);
    // Otherwise InnoDB, when it splits a page beside that row, has the lock kept on a gap as well: what is created there waits for it.
    await holder.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  });
  afterEach(() => holder?.end());
  /** As an operator does who looks at it in a transaction. */
  const hold = async (): Promise<void> => {
    await holder.beginTransaction();
    await holder.query('SELECT id FROM asset WHERE id = ? FOR UPDATE', [held.id]);
  };
  const letGo = (): Promise<unknown> => holder.rollback();

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
   * None of its answers is a refusal. A machine that stands still for seconds has somebody refused, and then all is tried once more: who is
   * held up by the holder is so each time.
   */
  const expectDone = async (attempt: () => Promise<Reply[]>): Promise<Reply[]> => {
    let replies = await attempt();
    for (let tries = 1; tries < TRIES && replies.some(({ status }) => status === 503); tries++) {
      console.warn('Somebody was refused: tried again');
      replies = await attempt();
    }
    expect(replies.filter(({ status }) => status >= 300).map(({ status, text }) => [status, text])).toEqual([]);
    return replies;
  };

  it('is answered 503 when its time is over, and not changed afterwards', async () => {
    await expectDone(async () => {
      await hold();
      const before = await readAgain(held);
      const refused = changed(held);
      const written = await writeOthers();
      expect((await refused).status).toBe(503);
      written.push(...(await writeOthers()));
      await letGo();
      written.push(...(await writeOthers()));
      expect((await readAgain(held)).text).toBe(before.text);
      return written;
    });
  });

  it('holds up all of a group that has it, and nobody else', async () => {
    const group = [held, ...others];
    await expectDone(async () => {
      expect((await retryUnavailable(() => movedAsOne(group, 'pending'))).status).toBe(200);
      await hold();
      const waiting = movedAsOne(group, 'active');
      const written = await writeOthers();
      await letGo();
      return [...written, await waiting];
    });
    const states = await Promise.all(group.map(readAgain));
    expect(new Set(states.map(({ json }) => json.data.status as string))).toEqual(new Set(['active']));
    // The other tests change them.
    expect((await retryUnavailable(() => movedAsOne(group, 'pending'))).status).toBe(200);
  });
});
