import { describe, expect, it } from '@jest/globals';
import {
  ASSETS,
  assetBody,
  change,
  changeAs,
  changeBy,
  create,
  createIn,
  type JsonObject,
  LOT,
  OTHER_LOT,
  type Owned,
  post,
  publish,
  read,
} from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { beginning, expectError, expectFaultyFields, faultsOf } from '../support/errors.js';
import { zoneAtNoon } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { runSql } from '../support/rows.js';

const STATES = ['draft', 'pending', 'active', 'complete', 'deleted'];
const FINAL = ['complete', 'deleted'];
const ACTORS = ['owner', 'concierge', 'administrator'];
/** The contract's table. */
const MOVES: Record<string, string> = {
  'draft → pending': 'owner',
  'pending → deleted': 'owner',
  'pending → active': 'concierge',
  'active → pending': 'concierge',
  'active → complete': 'concierge',
};
const mayMove = (from: string, to: string, actor: string): boolean => {
  const who = MOVES[`${from} → ${to}`];
  return who !== undefined && (who === actor || actor === 'administrator');
};
const EVERY_MOVE = STATES.flatMap((from) =>
  STATES.filter((to) => to !== from).flatMap((to) => ACTORS.map((actor) => ({ from, to, actor }))),
);

/** Another value for each field that the broker sets. */
const BROKER_FIELDS: JsonObject = {
  title: 'Інша земля',
  description: 'Опис',
  classification: { scheme: 'CPV' },
  value: { currency: 'EUR', amount: 7.5, valueAddedTaxIncluded: false },
  unit: { code: 'H87', name: 'piece' },
  quantity: 6,
  address: { locality: 'Львів' },
  assetCustodian: { name: 'Інший', contactPoint: { telephone: '1' } },
};
/** Another value for each field that the broker does not set after creation. */
const SERVICE_FIELDS: JsonObject = {
  id: LOT,
  assetID: 'UA-2017-01-01-000001',
  assetType: 'castle',
  owner: 'broker2',
  date: '2017-01-01T00:00:00.000000+02:00',
  dateModified: '2017-01-01T00:00:00.000000+02:00',
};
const refusal = (status: string): unknown => beginning(`Can't update asset in current (${status}) status`);

describe.each(embedded)('states, actors and moves on $name', (kind) => {
  const registry = servedRegistry(kind, { TIME_ZONE: zoneAtNoon() });

  describe('the table', () => {
    it.each(EVERY_MOVE.filter(({ from, to, actor }) => mayMove(from, to, actor)))(
      '$from → $to by $actor is made',
      async ({ from, to, actor }) => {
        const owned = await createIn(registry, from);
        const data = { status: to, ...(to === 'active' && { relatedLot: LOT }) };
        const reply = await changeBy(registry, actor, owned, data);
        expect(reply.status).toBe(200);
        expect(reply.json.data).toMatchObject(data);
        expect((await read(registry, owned)).json.data.status).toBe(to);
      },
    );

    it.each(EVERY_MOVE.filter(({ from, to, actor }) => !mayMove(from, to, actor)))(
      '$from → $to by $actor is refused',
      async ({ from, to, actor }) => {
        const owned = await createIn(registry, from);
        expectError(await changeBy(registry, actor, owned, { status: to }), 403, 'body', 'data', refusal(from));
        expect((await read(registry, owned)).json.data).toEqual(owned.asset);
      },
    );
  });

  it('a refused move lists the moves that this actor may make', async () => {
    const { id } = await createIn(registry, 'active');
    const reply = await changeAs(registry, 'concierge', id, { status: 'deleted' });
    const description =
      "Can't update asset in current (active) status: from here the concierge may move it to pending or complete";
    expectError(reply, 403, 'body', 'data', description);
  });

  describe('final states', () => {
    const PATCHES: JsonObject[] = [{}, { title: 'x' }];
    const cases = FINAL.flatMap((status) =>
      ACTORS.flatMap((actor) => [...PATCHES, { status }].map((data) => ({ status, actor, data }))),
    );

    it.each(cases)('$status: PATCH $data by $actor is 403', async ({ status, actor, data }) => {
      const owned = await createIn(registry, status);
      expectError(await changeBy(registry, actor, owned, data), 403, 'body', 'data', refusal(status));
    });
  });

  describe('the owner', () => {
    it.each(['draft', 'pending'])('changes each field that it sets while the asset is %s', async (status) => {
      const owned = await createIn(registry, status);
      for (const [name, value] of Object.entries(BROKER_FIELDS)) {
        const reply = await change(registry, owned, { [name]: value });
        expect(reply.json.data).toMatchObject({ [name]: value });
      }
    });

    it('changes none of them while the asset is active', async () => {
      const owned = await createIn(registry, 'active');
      for (const [name, value] of Object.entries(BROKER_FIELDS))
        expectError(await change(registry, owned, { [name]: value }), 403, 'body', 'data', refusal('active'));
    });

    it.each(['draft', 'pending'])('may not write the service’s fields or relatedLot: %s', async (status) => {
      const owned = await createIn(registry, status);
      for (const [name, value] of Object.entries({ ...SERVICE_FIELDS, relatedLot: LOT })) {
        expectError(await change(registry, owned, { [name]: value }), 403, 'body', name);
      }
      const all = { ...SERVICE_FIELDS, relatedLot: LOT };
      expectFaultyFields(await change(registry, owned, all), 403, Object.keys(all));
    });

    it('may send back a whole linked asset with one field changed', async () => {
      const owned = await createIn(registry, 'active');
      const { data: linked } = (await changeAs(registry, 'concierge', owned.id, { status: 'pending' })).json;
      const reply = await change(registry, owned, { ...linked, title: 'Інша' });
      expect(reply.json.data).toMatchObject({ title: 'Інша', relatedLot: LOT });
    });
  });

  describe.each(['concierge', 'administrator'])('the %s', (actor) => {
    it.each(['pending', 'active'])(
      'writes relatedLot while the asset is %s, without an owner token',
      async (status) => {
        const { id } = await createIn(registry, status);
        const reply = await changeAs(registry, actor, id, { relatedLot: OTHER_LOT });
        expect(reply.status).toBe(200);
        expect(reply.json.data).toMatchObject({ status, relatedLot: OTHER_LOT });
      },
    );

    it.each(['pending', 'active'])(
      'may change no other field while the asset is %s, and the error names each',
      async (status) => {
        const { id } = await createIn(registry, status);
        const all = { ...BROKER_FIELDS, ...SERVICE_FIELDS };
        for (const [name, value] of Object.entries(all))
          expectError(await changeAs(registry, actor, id, { [name]: value }), 403, 'body', name);
        expectFaultyFields(await changeAs(registry, actor, id, all), 403, Object.keys(all));
      },
    );

    it('may send back a whole asset with another relatedLot', async () => {
      const { id, asset } = await publish(registry);
      const reply = await changeAs(registry, actor, id, { ...asset, relatedLot: LOT });
      expect(reply.json.data).toMatchObject({ ...asset, dateModified: expect.anything(), relatedLot: LOT });
    });

    it('moves to active with a relatedLot that was set before', async () => {
      const { id } = await publish(registry);
      await changeAs(registry, actor, id, { relatedLot: LOT });
      const reply = await changeAs(registry, actor, id, { status: 'active' });
      expect(reply.json.data).toMatchObject({ status: 'active', relatedLot: LOT });
    });

    it('cannot move to active without a relatedLot', async () => {
      const { id } = await publish(registry);
      expectError(await changeAs(registry, actor, id, { status: 'active' }), 422, 'body', 'relatedLot');
    });

    it('cannot take relatedLot from an active asset without a move', async () => {
      const { id } = await createIn(registry, 'active');
      expectError(await changeAs(registry, actor, id, { relatedLot: null }), 422, 'body', 'relatedLot');
    });

    it('takes relatedLot from a pending asset', async () => {
      const { id } = await publish(registry);
      await changeAs(registry, actor, id, { relatedLot: LOT });
      const reply = await changeAs(registry, actor, id, { relatedLot: null });
      expect(reply.status).toBe(200);
      expect(reply.json.data).not.toHaveProperty('relatedLot');
    });

    it('active → pending keeps relatedLot', async () => {
      const { id } = await createIn(registry, 'active');
      const reply = await changeAs(registry, actor, id, { status: 'pending' });
      expect(reply.json.data.relatedLot).toBe(LOT);
    });

    it('active → pending with relatedLot null removes it', async () => {
      const { id } = await createIn(registry, 'active');
      const reply = await changeAs(registry, actor, id, { status: 'pending', relatedLot: null });
      expect(reply.json.data.status).toBe('pending');
      expect(reply.json.data).not.toHaveProperty('relatedLot');
    });
  });

  it('an administrator writes relatedLot in a draft', async () => {
    const { id } = await create(registry);
    const reply = await changeAs(registry, 'administrator', id, { relatedLot: LOT });
    expect([reply.status, reply.json.data]).toEqual([
      200,
      expect.objectContaining({ status: 'draft', relatedLot: LOT }),
    ]);
  });

  it('a concierge changes nothing in a draft', async () => {
    const { id } = await create(registry);
    for (const data of [{ relatedLot: LOT }, { title: 'x' }]) {
      expectError(await changeAs(registry, 'concierge', id, data), 403, 'body', 'data', refusal('draft'));
    }
  });

  it.each(['owner', 'concierge', 'administrator'])('an unknown status is 422 for the %s', async (actor) => {
    const owned = await publish(registry);
    for (const status of ['sold', 'Active', '__proto__', null]) {
      expectError(await changeBy(registry, actor, owned, { status }), 422, 'body', 'status');
    }
  });

  describe('POST', () => {
    it('names every field that it refuses', async () => {
      const refused: JsonObject = { ...SERVICE_FIELDS, relatedLot: LOT, status: 'active' };
      delete refused['assetType'];
      expectFaultyFields(await post(registry, assetBody(refused)), 403, Object.keys(refused));
    });

    it.each(['pending', 'active', 'complete', 'deleted'])('refuses the status %s', async (status) => {
      expectError(await post(registry, assetBody({ status })), 403, 'body', 'status');
    });

    it('the error for an unknown status or type lists the known ones', async () => {
      const [type, status] = faultsOf(await post(registry, assetBody({ assetType: 'castle', status: 'sold' })), 422);
      expect(type?.description).toMatch(/^There is no such asset type: there are basic, /);
      expect(status?.description).toMatch(/^There is no such status: there are draft, pending, active, /);
    });

    it('a refused one uses no number', async () => {
      const number = ({ asset }: { asset: { assetID: string } }): number => Number(asset.assetID.slice(14));
      const before = await create(registry);
      await post(registry, assetBody({ status: 'pending' }));
      await post(registry, assetBody({ title: '' }));
      await post(registry, assetBody(), 'concierge');
      await post(registry, assetBody(), 'unknown');
      expect(number(await create(registry))).toBe(number(before) + 1);
    });
  });

  describe('an asset whose type is no longer installed', () => {
    const GONE = (status: string): string =>
      `Can't update asset in current (${status}) status: its asset type gone is not installed`;
    const goneIn = async (status: string): Promise<Owned> => {
      const owned = await createIn(registry, status);
      await runSql(registry, "UPDATE asset SET asset_type = 'gone' WHERE id = ?", [owned.id]);
      return owned;
    };

    it.each([
      ['draft', 'owner'],
      ['pending', 'concierge'],
      ['active', 'administrator'],
      ['complete', 'administrator'],
    ])('cannot be changed in status %s by the %s', async (status, actor) => {
      const owned = await goneIn(status);
      const kept = (): Promise<unknown> => runSql(registry, 'SELECT * FROM asset WHERE id = ?', [owned.id]);
      const before = await kept();
      for (const data of [{}, { title: 'Інша' }, { status: 'pending', relatedLot: LOT }])
        expectError(await changeBy(registry, actor, owned, data), 403, 'body', 'data', GONE(status));
      expect(await kept()).toEqual(before);
    });

    // Every answer is compared with the OpenAPI document as well.
    it('is read as stored, alone and in the listing', async () => {
      const owned = await goneIn('active');
      const { dateModified } = owned.asset;
      const { json } = await read(registry, owned);
      expect(json.data).toMatchObject({ ...assetBody().data, assetType: 'gone', status: 'active' });
      expect((await registry.send(`${ASSETS}/${owned.id}?at=${encodeURIComponent(dateModified)}`)).status).toBe(200);
      for (const fields of ['*', 'assetType,title']) {
        const listed = await registry.send(`${ASSETS}?descending=1&limit=1&opt_fields=${fields}`);
        expect(listed.json.data).toEqual([
          expect.objectContaining({ id: owned.id, assetType: 'gone', title: json.data.title }),
        ]);
      }
    });
  });
});
