import { describe, expect, it } from '@jest/globals';
import { makeStories, STORIES, type Story } from '../../clients/demo/src/stories.js';
import { inTurn } from '../../clients/demo/src/turns.js';
import { type AssetType } from '../../src/asset-types/asset-type.js';
import { AssetTypes } from '../../src/asset-types/asset-types.js';
import { lifecycleOf } from '../../src/asset-types/lifecycle.js';
import { basic, claimRights, compound } from '../../src/asset-types/installed.js';
import { readFields } from '../../src/asset-types/fields-json.js';
import { mergePatch } from '../../src/assets/asset-change.js';

type JsonObject = Record<string, unknown>;

/** Not those that a team adds to the list: nothing but their folder is to be changed for them. */
const ITS_OWN = { basic, claimRights, compound };
const types = new AssetTypes(Object.values(ITS_OWN));
const stories = makeStories();

/** What a story leaves, as its type would take it: faults of its fields after every request, and the states that it went through. */
function follow({ created, changes }: Story): { faults: unknown[]; states: string[] } {
  const { assetType, ...data } = created;
  const type = types.get(assetType);
  const { initial, moves } = lifecycleOf(type);
  const states = [initial];
  const faults = [...faultsOf(type, data, initial)];
  let fields: JsonObject = data;
  for (const { by, data: patch } of changes) {
    const { status, relatedLot: _, ...changed } = patch;
    const from = states.at(-1) as string;
    if (status !== undefined) {
      if (!moves.some((move) => move.from === from && move.to === status && move.by === by)) faults.push(patch);
      states.push(status as string);
    }
    fields = mergePatch(fields, changed);
    faults.push(...faultsOf(type, fields, states.at(-1) as string));
  }
  return { faults, states };
}

function faultsOf(type: AssetType, data: JsonObject, status: string): unknown[] {
  const { fields, faults } = readFields(type.dto, data);
  return faults.length > 0 ? faults : (type.check?.(fields, status) ?? []);
}

const finalStates = stories.map((story) => follow(story).states.at(-1) as string);
const countOf = (state: string): number => finalStates.filter((one) => one === state).length;

describe('the examples', () => {
  it('are sound, and their moves allowed', () => {
    for (const story of stories) expect([story.created.title, follow(story).faults]).toEqual([story.created.title, []]);
  });

  it('are the same every time', () => {
    expect(makeStories()).toEqual(stories);
    expect(inTurn(makeStories())).toEqual(inTurn(stories));
    expect(stories).toHaveLength(STORIES);
  });

  it('differ in what people tell assets by', () => {
    const names = stories.map(({ created }) => JSON.stringify([created.title, created['address'] ?? created['items']]));
    expect(new Set(names).size).toBe(STORIES);
  });

  it('are of every type that comes with the registry, and mostly basic', () => {
    const used = stories.map(({ created }) => created.assetType);
    expect(new Set<string>(used)).toEqual(new Set(Object.keys(ITS_OWN)));
    expect(used.filter((type) => type === 'basic').length).toBeGreaterThan(STORIES / 2);
  });

  it('are left in all states: few drafts, most of them pending', () => {
    const states = Object.values(ITS_OWN).flatMap((type: AssetType) => Object.keys(lifecycleOf(type).states));
    expect(new Set(finalStates)).toEqual(new Set(states));
    expect(countOf('draft')).toBeLessThan(STORIES / 20);
    expect(countOf('pending')).toBeGreaterThan(STORIES / 2);
  });

  it('name no organisation that has a code, and no telephone that rings', () => {
    for (const { created } of stories) {
      expect(created).toMatchObject({
        assetCustodian: {
          identifier: { id: expect.stringMatching(/^99\d{6}$/) },
          contactPoint: { telephone: expect.stringMatching(/^\+380440000\d{3}$/) },
        },
      });
    }
  });
});

describe('the order of their requests', () => {
  const turns = inTurn(stories);

  it('has every request once, those of one asset one after the other', () => {
    for (const [number, { changes }] of stories.entries()) {
      const own = turns.filter(({ story }) => story === number).map(({ change }) => change);
      expect(own).toEqual(Array.from({ length: changes.length + 1 }, (_, index) => index - 1));
    }
    expect(turns).toHaveLength(stories.reduce((sum, { changes }) => sum + changes.length + 1, 0));
  });
});
