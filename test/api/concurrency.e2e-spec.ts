import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  ASSETS,
  change,
  changeAs,
  create,
  type JsonObject,
  LOT,
  OTHER_LOT,
  type Owned,
  publish,
  read,
} from '../support/assets.js';
import { databases } from '../support/databases.js';
import { type Reply, zoneAtNoon } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

describe.each(databases)('many writers at the same moment on $name', (kind) => {
  const registry = servedRegistry(kind, { TIME_ZONE: zoneAtNoon() });
  /** The first ones of the registry. */
  let assets: Owned['asset'][];

  beforeAll(async () => {
    const made = await Promise.all(Array.from({ length: 60 }, () => create(registry)));
    assets = made.map(({ asset }) => asset).toSorted((a, b) => a.assetID.localeCompare(b.assetID));
  });

  describe('parallel creates', () => {
    it('number the assets of a day densely from 000001', () => {
      for (const day of new Set(assets.map(({ assetID }) => assetID.slice(0, 13)))) {
        const ofDay = assets.map(({ assetID }) => assetID).filter((assetID) => assetID.startsWith(day));
        expect(ofDay).toEqual(ofDay.map((_, i) => `${day}-${String(i + 1).padStart(6, '0')}`));
      }
    });

    it('have distinct dateModified, in the order of their numbers', () => {
      const instants = assets.map(({ dateModified }) => dateModified);
      expect(new Set(instants).size).toBe(60);
      expect(instants).toEqual(instants.toSorted());
    });
  });

  it('parallel PATCHes of disjoint fields all take effect, one after the other', async () => {
    const owned = await publish(registry);
    const patches: JsonObject[] = [
      ...['countryName', 'postalCode', 'region', 'streetAddress', 'locality'].flatMap((field): JsonObject[] => [
        { address: { [field]: 'changed' } },
        { assetCustodian: { address: { [field]: 'changed' } } },
      ]),
      { title: 'changed' },
      { description: 'changed' },
      { classification: { id: 'changed' } },
      { assetCustodian: { contactPoint: { telephone: 'changed' } } },
      { value: { amount: 8 } },
    ];

    const replies = await Promise.all(patches.map((patch) => change(registry, owned, patch)));
    expect(replies.map(({ status }) => status)).toEqual(patches.map(() => 200));

    const { data } = (await registry.send(`${ASSETS}/${owned.id}`)).json;
    for (const patch of patches) expect(data).toMatchObject(patch);
    const times = replies.map(({ json }) => json.data.dateModified as string).toSorted();
    expect(new Set(times).size).toBe(patches.length);
    expect(times.at(-1)).toBe(data.dateModified);
  });

  it('If-Match lets one of 10 parallel PATCHes of the same version through', async () => {
    const owned = await publish(registry);
    const etag = (await registry.send(`${ASSETS}/${owned.id}`)).headers.get('etag') as string;
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        registry.send(`${ASSETS}/${owned.id}`, {
          method: 'PATCH',
          key: 'broker',
          headers: { 'X-Access-Token': owned.token, 'If-Match': etag },
          body: { data: { title: `title ${i}` } },
        }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...Array(9).fill(412)]);
    const done = replies.find(({ status }) => status === 200);
    expect((await registry.send(`${ASSETS}/${owned.id}`)).json.data).toEqual(done?.json.data);
  });

  it('of two lots that claim an asset the later has it, unless If-Match says which version each has read', async () => {
    const { id } = await publish(registry);
    const path = `${ASSETS}/${id}`;
    const claim = (relatedLot: string, headers: Record<string, string>): Promise<Reply> =>
      registry.send(path, {
        method: 'PATCH',
        key: 'concierge',
        headers,
        body: { data: { status: 'active', relatedLot } },
      });
    const bothClaim = async (headers: Record<string, string>): Promise<Reply[]> =>
      Promise.all([LOT, OTHER_LOT].map((lot) => claim(lot, headers)));
    const unchanged = { 'If-Match': (await registry.send(path)).headers.get('etag') as string };
    const [one, other] = (await bothClaim(unchanged)) as [Reply, Reply];
    expect(new Set([one.status, other.status])).toEqual(new Set([200, 412]));
    const won = one.status === 200 ? one : other;
    expect((await registry.send(path)).text).toBe(won.text);
    const claims = await bothClaim({});
    expect(claims.map(({ status }) => status)).toEqual([200, 200]);
    const [, later] = claims.toSorted((a, b) => (a.json.data.dateModified < b.json.data.dateModified ? -1 : 1));
    expect((await registry.send(path)).text).toBe(later?.text);
  });

  it('of moves that exclude each other one is made', async () => {
    const pending = await publish(registry);
    const [deleted, active] = await Promise.all([
      change(registry, pending, { status: 'deleted' }),
      changeAs(registry, 'concierge', pending.id, { status: 'active', relatedLot: LOT }),
    ]);
    expect(new Set([deleted.status, active.status])).toEqual(new Set([200, 403]));
    const won = deleted.status === 200 ? deleted : active;
    expect((await read(registry, pending)).text).toBe(won.text);
  });
});
