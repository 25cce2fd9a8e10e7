import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AssetType } from '../../src/asset-types/asset-type.js';
import { lifecycleOf } from '../../src/asset-types/lifecycle.js';
import * as installed from '../../src/asset-types/installed.js';
import { ASSETS, changeBy, createFrom, type JsonObject, LOT, type Owned, post, read } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { sendDryRun } from '../support/dry-runs.js';
import { expectError } from '../support/errors.js';
import { type Reply, type Sender, TestRegistry } from '../support/registry.js';

describe.each(embedded)('every installed asset type on $name', (kind) => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
  });
  afterAll(() => registry?.stop());

  const listed = async (fields = '*'): Promise<JsonObject[]> =>
    (await registry.send(`${ASSETS}?limit=1000&opt_fields=${fields}`)).json.data;

  describe.each<AssetType>(Object.values(installed))('$name', ({ example, ...type }) => {
    const { states, moves, initial } = lifecycleOf(type);

    /** As the write then made it, except dates and values that only a creation gives. */
    const expectMatches = ({ status: answered, json }: Reply, written: JsonObject): void => {
      const { dateModified: _, ...asset } = json.data;
      expect(answered).toBe(200);
      expect(written).toMatchObject(asset);
      const others = Object.keys(written).filter((name) => !Object.hasOwn(asset, name));
      expect(others.filter((name) => !['id', 'assetID', 'date', 'dateModified'].includes(name))).toEqual([]);
    };

    it('is created from its example as a dry run predicts, and read as answered', async () => {
      const reply = await sendDryRun(registry, 'POST', ASSETS, example);
      const owned = await createFrom(registry, example);
      expectMatches(reply, owned.asset);
      expect(owned.asset).toMatchObject({ ...example.data, assetType: type.name, status: initial });
      expect((await read(registry, owned)).json.data).toEqual(owned.asset);
    });

    /** The moves to each state, from the initial one. */
    const ways = new Map<string, (typeof moves)[number][]>([[initial, []]]);
    for (const [state, way] of ways)
      for (const move of moves) if (move.from === state && !ways.has(move.to)) ways.set(move.to, [...way, move]);

    const patchTo = (to: string): JsonObject => ({
      ...example.moves?.[to],
      status: to,
      ...(states[to]?.needsLot && { relatedLot: LOT }),
    });

    /** Makes a dry run of each move first. */
    async function ledTo(state: string): Promise<Owned> {
      const dryRuns: Sender = { send: (path, sent) => registry.send(`${path}?dry_run=1`, sent) };
      let owned: Owned = await createFrom(registry, example);
      for (const { to, by } of ways.get(state) ?? []) {
        const data = patchTo(to);
        const dryRun = await changeBy(dryRuns, by, owned, data);
        expect((await read(registry, owned)).json.data).toEqual(owned.asset);
        const reply = await changeBy(registry, by, owned, data);
        expect([reply.status, reply.json.data]).toEqual([200, expect.objectContaining(data)]);
        expectMatches(dryRun, reply.json.data);
        owned = { ...owned, asset: reply.json.data };
      }
      return owned;
    }

    it.each([...ways.keys()])(
      'is moved to %s by the permitted roles as dry runs predict, and read and listed there',
      async (state) => {
        const owned = await ledTo(state);
        expect((await read(registry, owned)).json.data).toEqual(owned.asset);
        const entry = (await listed()).find(({ id }) => id === owned.id);
        expect(entry).toEqual(states[state]?.listed ? owned.asset : undefined);
      },
    );

    it.each(moves.filter(({ by }) => by !== 'owner'))(
      'is moved from $from to $to in a group as it is alone, and the group stays unchanged if one is refused',
      async ({ from, to, by }) => {
        const [one, other, alone] = [await ledTo(from), await ledTo(from), await ledTo(from)];
        const changeAll = (...members: JsonObject[]): Promise<Reply> =>
          registry.send(ASSETS, { method: 'PATCH', key: by, body: { data: members } });
        const [first, second] = [
          { id: one.id, ...patchTo(to) },
          { id: other.id, ...patchTo(to) },
        ];
        expectError(await changeAll(first, { ...second, status: 'sold' }), 422, 'body', 'data.1.status');
        expect((await read(registry, one)).json.data).toEqual(one.asset);
        const moved = (await changeBy(registry, by, alone, patchTo(to))).json.data;
        const { json } = await changeAll(first, second);
        for (const asset of json.data)
          expect([asset.status, asset.relatedLot]).toEqual([moved.status, moved.relatedLot]);
        expect(json.data).toEqual([(await read(registry, one)).json.data, (await read(registry, other)).json.data]);
      },
    );

    it('is listed with each requested field', async () => {
      let owned: Owned = await createFrom(registry, example);
      const first = moves.find(({ from, to }) => from === initial && states[to]?.listed);
      if (first !== undefined) {
        const { json } = await changeBy(registry, first.by, owned, { ...example.moves?.[first.to], status: first.to });
        owned = { ...owned, asset: json.data };
      }
      const names = Object.keys(example.data);
      const entry = (await listed(names.join(','))).find(({ id }) => id === owned.id);
      const { id, dateModified, ...asset } = owned.asset;
      const asked = Object.entries(asset).filter(([name]) => names.includes(name));
      expect(entry).toEqual({ id, dateModified, ...Object.fromEntries(asked) });
    });

    it('refuses unknown fields, and a state of another type', async () => {
      expectError(await post(registry, { data: { ...example.data, rogue: 1 } }), 422, 'body', 'rogue', 'Rogue field');
      const foreign = Object.values(installed)
        .flatMap((other) => Object.keys(lifecycleOf(other).states))
        .filter((state) => !Object.hasOwn(states, state));
      for (const status of [...foreign, 'sold']) {
        expectError(await post(registry, { data: { ...example.data, status } }), 422, 'body', 'status');
        const owned = await createFrom(registry, example);
        expectError(await changeBy(registry, 'administrator', owned, { status }), 422, 'body', 'status');
      }
    });

    it('keeps the type that it was created with', async () => {
      const owned = await createFrom(registry, example);
      const other = type.name === 'basic' ? 'compound' : 'basic';
      for (const assetType of [other, null, 5])
        expectError(await changeBy(registry, 'owner', owned, { assetType }), 403, 'body', 'assetType');
    });
  });
});
