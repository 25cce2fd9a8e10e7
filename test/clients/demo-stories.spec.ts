import { describe, expect, it } from '@jest/globals';
import { makeStories, STORIES, type Story } from '../../clients/demo/src/stories.js';
import { inTurn } from '../../clients/demo/src/turns.js';
import { type AssetType } from '../../src/asset-types/asset-type.js';
import { AssetTypes } from '../../src/asset-types/asset-types.js';
import { lifecycleOf } from '../../src/asset-types/lifecycle.js';
import { basic, claimRights, compound } from '../../src/asset-types/installed.js';
import { readFields } from '../../src/asset-types/fields-json.js';
import { mergePatch } from '../../src/assets/merge-patch.js';

type JsonObject = Record<string, unknown>;

/** Not those that a team adds to the list: nothing but their folder is to be changed for them. */
const ITS_OWN = { basic, claimRights, compound };
const types = new AssetTypes(Object.values(ITS_OWN));
const stories = makeStories();

/** What a story leaves, as its type would take it. @returns faults of its fields after every request, and of its moves */
function follow({ created, changes }: Story): unknown[] {
  const { assetType, ...data } = created;
  const type = types.get(assetType);
  const { initial, moves } = lifecycleOf(type);
  let state = initial;
  const faults = [...faultsOf(type, data, initial)];
  let fields: JsonObject = data;
  for (const { by, data: patch } of changes) {
    const { status, relatedLot: _, ...changed } = patch;
    if (status !== undefined) {
      if (!moves.some(({ from, to, by: mover }) => from === state && to === status && mover === by)) faults.push(patch);
      state = status as string;
    }
    fields = mergePatch(fields, changed);
    faults.push(...faultsOf(type, fields, state));
  }
  return faults;
}

function faultsOf(type: AssetType, data: JsonObject, status: string): unknown[] {
  const { fields, faults } = readFields(type.dto, data);
  return faults.length > 0 ? faults : (type.check?.(fields, status) ?? []);
}

describe('the examples', () => {
  it('are sound, and their moves allowed', () => {
    for (const story of stories) expect([story.created.title, follow(story)]).toEqual([story.created.title, []]);
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
