import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection } from 'mysql2/promise';
import { ASSETS, change, create, LOT, type Owned, publish, read } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { type Reply, TestRegistry } from '../support/registry.js';

/** More than a batch has. */
const GROUP = 70;

// A file has one writer, and no locks of rows.
describe.each(databases.filter(({ name }) => name !== 'SQLite'))('an asset that somebody holds on $name', (kind) => {
  let registry: TestRegistry;
  let holder: Connection;
  let held: Owned;
  let others: Owned[];

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    [held, ...others] = (await Promise.all(Array.from({ length: GROUP }, () => publish(registry)))) as [Owned];
  });
  afterAll(() => registry?.stop());

  /** As an operator does who looks at it in a transaction. */
  beforeEach(async () => {
    holder = await createConnection(registry.databaseUrl);
    // Otherwise InnoDB, when it splits a page beside that row, has the lock kept on a gap as well: what is created there waits for it.
    await holder.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await holder.beginTransaction();
    await holder.query('SELECT id FROM asset WHERE id = ? FOR UPDATE', [held.id]);
  });
  const letGo = (): Promise<unknown> => holder.rollback();
  afterEach(() => holder.end());

  let quantity = 1;
  const changed = (owned: Owned): Promise<Reply> => change(registry, owned, { quantity: ++quantity });
  const changedAsOne = (members: readonly Owned[]): Promise<Reply> =>
    registry.send(ASSETS, {
      method: 'PATCH',
      key: 'concierge',
      body: { data: members.map(({ id }) => ({ id, status: 'active', relatedLot: LOT })) },
    });
  /** One after the other, as a client does that waits for its answers. */
  const expectWritable = async (): Promise<void> => {
    for (const other of others.slice(0, 5)) expect((await changed(other)).status).toBe(200);
    await create(registry);
  };

  it('keeps nobody from changing another, and is changed once it is let go', async () => {
    const waiting = changed(held);
    await expectWritable();
    await letGo();
    expect((await waiting).status).toBe(200);
  });

  it('is answered 503 when its time is over, and not changed afterwards', async () => {
    const before = await read(registry, held);
    const answered = changed(held);
    await expectWritable();
    expect((await answered).status).toBe(503);
    await expectWritable();
    await letGo();
    await expectWritable();
    expect((await read(registry, held)).text).toBe(before.text);
  });

  it('keeps nobody from changing another, however many want it, and is changed by each of them then', async () => {
    const waiting = Array.from({ length: 60 }, () => changed(held));
    await expectWritable();
    await letGo();
    const replies = await Promise.all(waiting);
    expect(replies.map(({ status }) => status)).toEqual(waiting.map(() => 200));
    const instants = replies.map(({ json }) => json.data.dateModified as string).toSorted();
    expect(new Set(instants).size).toBe(waiting.length);
    expect((await read(registry, held)).json.data.dateModified).toBe(instants.at(-1));
  });

  it('holds up all of a group that has it, and nobody else', async () => {
    const answered = changedAsOne([held, ...others]);
    await expectWritable();
    await letGo();
    expect((await answered).status).toBe(200);
    const states = await Promise.all([held, ...others].map((one) => read(registry, one)));
    expect(new Set(states.map(({ json }) => json.data.status as string))).toEqual(new Set(['active']));
  });
});
