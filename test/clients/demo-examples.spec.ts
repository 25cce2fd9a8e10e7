import { describe, expect, it } from '@jest/globals';
import { exampleStates } from '../../clients/demo/src/example-states.js';
import { organisationCode } from '../../clients/demo/src/organisation-code.js';
import { EXAMPLE_COUNT } from '../../clients/demo/src/example-histories.js';
import type { JsonObject } from '../support/assets.js';

const NOW_MS = Date.parse('2026-11-29T12:00:00Z');
const DAY_MS = 86_400_000;

function statesAt(nowMs: number): JsonObject[] {
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return exampleStates({ nowMs, dayOf, prefix: 'UA' }) as JsonObject[];
}

const states = statesAt(NOW_MS);
/** Each asset as it is now. */
const assets = [...new Map(states.map((state) => [state['id'], state])).values()];

const DATED = ['date', 'dateModified', 'assetID'];

function undated(state: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([name]) => !DATED.includes(name)));
}

/* That a registry takes them all is said by test/operations/demo.e2e-spec.ts. */
describe('the examples', () => {
  it('are the same every time, but for their dates', () => {
    expect(statesAt(NOW_MS)).toEqual(states);
    expect(statesAt(NOW_MS + 400 * DAY_MS).map(undated)).toEqual(states.map(undated));
    expect(assets).toHaveLength(EXAMPLE_COUNT);
  });

  it('differ in the fields that identify them to people', () => {
    const names = assets.map(({ title, address, items }) => JSON.stringify([title, address ?? items]));
    expect(new Set(names).size).toBe(EXAMPLE_COUNT);
    expect(new Set(assets.map(({ assetID }) => assetID)).size).toBe(EXAMPLE_COUNT);
  });

  it('began in each of the last 24 months, and each change has a distinct instant in the past', () => {
    const months = new Set(assets.map(({ date }) => String(date).slice(0, 7)));
    expect(months.size).toBeGreaterThanOrEqual(24);
    const instants = states.map(({ dateModified }) => String(dateModified));
    expect(new Set(instants).size).toBe(states.length);
    for (const instant of instants) expect(Date.parse(instant)).toBeLessThanOrEqual(NOW_MS);
  });

  it('are in every state, some withdrawn, some lowered in price ten times, some back from a lot', () => {
    expect(new Set(assets.map(({ status }) => status))).toEqual(
      new Set(['draft', 'pending', 'verification', 'active', 'complete', 'deleted']),
    );
    const pricesOf = ({ id }: JsonObject): number =>
      new Set(states.filter((state) => state['id'] === id).map(({ value }) => JSON.stringify(value))).size;
    expect(assets.filter((asset) => pricesOf(asset) > 10).length).toBeGreaterThan(5);
    const isBack = (state: JsonObject, i: number): boolean =>
      state['status'] === 'pending' && states[i - 1]?.['status'] === 'active' && states[i - 1]?.['id'] === state['id'];
    expect(states.some(isBack)).toBe(true);
  });

  it('name no organisation that has a code, and no telephone that rings', () => {
    for (const asset of assets) {
      expect(asset).toMatchObject({
        assetCustodian: {
          identifier: { id: expect.stringMatching(/^99\d{6}$/) },
          contactPoint: { telephone: expect.stringMatching(/^\+380440000\d{3}$/) },
        },
      });
    }
  });

  it('have codes of organisations with a check digit', () => {
    // 9·1 + 9·2 + 3·7 = 48, and 48 mod 11 = 4.
    expect(organisationCode(3)).toBe('99000034');
  });

  it('have one code for one organisation', () => {
    const custodians = assets.map(
      ({ assetCustodian }) => assetCustodian as { name: string; identifier: { id: string } },
    );
    const codes = new Map(custodians.map(({ name, identifier }) => [name, identifier.id]));
    for (const { name, identifier } of custodians) expect([name, codes.get(name)]).toEqual([name, identifier.id]);
    expect(new Set(codes.values()).size).toBe(codes.size);
  });
});
