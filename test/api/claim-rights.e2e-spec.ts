import { describe, expect, it } from '@jest/globals';
import example from '../../src/asset-types/claim-rights/claim-rights.example.json' with { type: 'json' };
import {
  ASSETS,
  change,
  changeAs,
  changeBy,
  createFrom,
  type JsonObject,
  LOT,
  OTHER_LOT,
  type Owned,
  post,
  read,
} from '../support/assets.js';
import { command } from '../support/commands.js';
import { embedded } from '../support/databases.js';
import { beginning, expectError } from '../support/errors.js';
import { servedRegistry } from '../support/served-registry.js';
import { everythingStored } from '../support/rows.js';

const WAY_TO: Record<string, string[]> = {
  draft: [],
  pending: ['pending'],
  deleted: ['pending', 'deleted'],
  verification: ['pending', 'verification'],
  active: ['pending', 'verification', 'active'],
  complete: ['pending', 'verification', 'active', 'complete'],
};
const refusal = (status: string): unknown => beginning(`Can't update asset in current (${status}) status`);
const NAME = 'Тарас Шевченко';

/** A body of POST with other members of the debt. */
function claim(debt: JsonObject = {}): { data: JsonObject } {
  return { data: { ...example.data, debt: { ...example.data.debt, ...debt } } };
}

describe.each(embedded)('rights of claim on $name', (kind) => {
  const registry = servedRegistry(kind);

  async function claimIn(state: string, body = claim()): Promise<Owned> {
    let owned = await createFrom(registry, body);
    for (const status of WAY_TO[state] ?? []) {
      const who = ['pending', 'deleted'].includes(status) ? 'owner' : 'concierge';
      const reply = await changeBy(registry, who, owned, { status, ...(status === 'active' && { relatedLot: LOT }) });
      if (reply.status !== 200) throw new Error(`PATCH answered ${reply.status}: ${reply.text}`);
      owned = { ...owned, asset: reply.json.data };
    }
    return owned;
  }

  it.each([
    ['pending', 'active', 'concierge'],
    ['verification', 'deleted', 'owner'],
    ['verification', 'complete', 'administrator'],
  ])('%s → %s by the %s is refused', async (from, to, actor) => {
    const owned = await claimIn(from);
    expectError(await changeBy(registry, actor, owned, { status: to }), 403, 'body', 'data', refusal(from));
    expect((await read(registry, owned)).json.data).toEqual(owned.asset);
  });

  describe('verification', () => {
    it('needs no lot; active does', async () => {
      const { id, asset } = await claimIn('verification');
      expect(asset).not.toHaveProperty('relatedLot');
      expectError(await changeAs(registry, 'concierge', id, { status: 'active' }), 422, 'body', 'relatedLot');
      expect((await changeAs(registry, 'concierge', id, { relatedLot: LOT })).status).toBe(200);
      const reply = await changeAs(registry, 'concierge', id, { status: 'active' });
      expect(reply.json.data).toMatchObject({ status: 'active', relatedLot: LOT });
    });

    it('is a time in which the owner edits nothing', async () => {
      const owned = await claimIn('verification');
      for (const data of [{ title: 'x' }, { debt: { value: { amount: 1 } } }, { x: 1 }, { status: 'deleted' }])
        expectError(await change(registry, owned, data), 403, 'body', 'data', refusal('verification'));
      const whole = await change(registry, owned, owned.asset);
      expect([whole.status, whole.json.data]).toEqual([200, owned.asset]);
    });

    it.each<[string, JsonObject]>([
      ['the lot that was set before', {}],
      ['a lot in the same request', { relatedLot: OTHER_LOT }],
      ['the lot set to null', { relatedLot: null }],
    ])('back to pending takes the claim from its lot: %s', async (_, data) => {
      const { id } = await claimIn('verification');
      await changeAs(registry, 'concierge', id, { relatedLot: LOT });
      const reply = await changeAs(registry, 'concierge', id, { status: 'pending', ...data });
      expect([reply.status, reply.json.data.status]).toEqual([200, 'pending']);
      expect(reply.json.data).not.toHaveProperty('relatedLot');
      const { output } = await command(['audit', '--json', '--asset', id], { DATABASE_URL: registry.databaseUrl });
      expect(output.split('\n')[0]).toContain('"fields":["status","relatedLot"]');
    });
  });

  describe('the name of a natural person', () => {
    const natural = { debtorType: 'naturalPerson', debtorName: NAME };

    it('is refused on POST, and not repeated', async () => {
      const reply = await post(registry, claim(natural));
      expectError(reply, 422, 'body', 'debt.debtorName');
      expect(reply.text).not.toContain(NAME);
    });

    it('is refused when the debtor turns out to be one', async () => {
      const owned = await createFrom(registry, claim({ debtorName: 'ТОВ «Борг»' }));
      const reply = await change(registry, owned, { debt: { debtorType: 'naturalPerson' } });
      expectError(reply, 422, 'body', 'debt.debtorName');
      const without = await change(registry, owned, { debt: { debtorType: 'naturalPerson', debtorName: null } });
      expect([without.status, without.json.data.debt]).toEqual([200, expect.not.objectContaining({ debtorName: '' })]);
      expect(without.text).not.toContain('Борг');
    });

    it.each([NAME, ''])('is refused on PATCH: %j', async (debtorName) => {
      const owned = await createFrom(registry, claim({ debtorType: 'naturalPerson', debtorName: undefined }));
      expectError(await change(registry, owned, { debt: { debtorName } }), 422, 'body', 'debt.debtorName');
      expect((await read(registry, owned)).json.data).toEqual(owned.asset);
    });

    it('is in no answer, no page and nothing that is stored', async () => {
      await claimIn('pending', claim({ debtorType: 'naturalPerson', debtorName: undefined }));
      expect((await registry.send(`${ASSETS}?opt_fields=*&limit=1000`)).text).not.toContain(NAME);
      expect(await everythingStored(registry)).not.toContain(NAME);
    });
  });

  describe('the debt', () => {
    it.each(['agreementNumber', 'debtorType', 'dateSigned', 'value'])('%s is required', async (name) => {
      expectError(await post(registry, claim({ [name]: undefined })), 422, 'body', `debt.${name}`);
    });

    it.each(['NaturalPerson', 'toString', null])('debtorType is not %j', async (debtorType) => {
      expectError(await post(registry, claim({ debtorType })), 422, 'body', 'debt.debtorType');
    });
  });
});
