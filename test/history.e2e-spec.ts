import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ASSETS,
  change,
  changeAs,
  create,
  createFrom,
  createIn,
  type JsonObject,
  LOT,
  OTHER_LOT,
  type Owned,
  publish,
  read,
} from './support/assets.js';
import claimRights from '../src/asset-types/claim-rights/claim-rights.example.json' with { type: 'json' };
import { databases } from './support/databases.js';
import { type Reply, TestRegistry } from './support/registry.js';
import { runSql } from './support/rows.js';

interface Entry {
  dateModified: string;
  status: string;
  changed?: string[];
  relatedLot?: string;
}

const SECRET = 'what nobody shall see';

describe.each(databases)('the history of an asset on $name', (kind) => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
  });
  afterAll(() => registry?.stop());

  const historyOf = (id: string, query = ''): Promise<Reply> => registry.send(`${ASSETS}/${id}/history?${query}`);
  const entriesOf = async (id: string, query = ''): Promise<Entry[]> => {
    const { status, json } = await historyOf(id, query);
    expect(status).toBe(200);
    return json.data as Entry[];
  };
  const at = (id: string, instant: string): Promise<Reply> =>
    registry.send(`${ASSETS}/${id}?at=${encodeURIComponent(instant)}`);
  /** PATCH by the owner, which has to succeed. @returns dateModified */
  const changed = async (owned: Owned, data: JsonObject): Promise<string> => {
    const reply = await change(registry, owned, data);
    expect(reply.status).toBe(200);
    return reply.json.data.dateModified as string;
  };

  describe('is a list of its public states', () => {
    it('with every change, the oldest first, and the names of the fields that each changed', async () => {
      const owned = await publish(registry);
      const published = owned.asset.dateModified;
      const second = await changed(owned, { title: 'другий', quantity: 7 });
      const third = (await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT })).json.data;
      const fourth = (await changeAs(registry, 'concierge', owned.id, { status: 'complete' })).json.data;
      expect(await entriesOf(owned.id)).toEqual([
        { dateModified: published, status: 'pending' },
        { dateModified: second, status: 'pending', changed: ['title', 'quantity'] },
        { dateModified: third.dateModified, status: 'active', relatedLot: LOT, changed: ['status', 'relatedLot'] },
        { dateModified: fourth.dateModified, status: 'complete', relatedLot: LOT, changed: ['status'] },
      ]);
    });

    it('without what changed nothing, and without what was refused', async () => {
      const owned = await publish(registry);
      await changed(owned, { status: 'pending' });
      expect((await change(registry, owned, { quantity: -1 })).status).toBe(422);
      expect(await entriesOf(owned.id)).toHaveLength(1);
    });

    it('with both of two changes that came at the same moment', async () => {
      const owned = await publish(registry);
      await Promise.all([changed(owned, { title: 'one' }), changed(owned, { quantity: 2 })]);
      const entries = await entriesOf(owned.id);
      expect(entries.slice(1).flatMap((entry) => entry.changed)).toEqual(expect.arrayContaining(['title', 'quantity']));
      expect(entries).toHaveLength(3);
      expect(entries.map(({ dateModified }) => dateModified)).toEqual(
        entries.map(({ dateModified }) => dateModified).toSorted(),
      );
    });

    it('with the end of a deleted asset', async () => {
      const owned = await createIn(registry, 'deleted');
      expect((await entriesOf(owned.id)).map(({ status }) => status)).toEqual(['pending', 'deleted']);
    });

    it('with the states of its own type, and what a move changes by itself', async () => {
      const owned = await createFrom(registry, claimRights);
      await changed(owned, { status: 'pending' });
      for (const data of [{ status: 'verification', relatedLot: LOT }, { status: 'pending' }])
        await changeAs(registry, 'concierge', owned.id, data);
      const entries = await entriesOf(owned.id);
      expect(entries.map(({ status, relatedLot, changed: fields }) => ({ status, relatedLot, fields }))).toEqual([
        { status: 'pending', relatedLot: undefined, fields: undefined },
        { status: 'verification', relatedLot: LOT, fields: ['status', 'relatedLot'] },
        { status: 'pending', relatedLot: undefined, fields: ['status', 'relatedLot'] },
      ]);
    });
  });
  void [create, OTHER_LOT, SECRET, read, runSql, at];
});
