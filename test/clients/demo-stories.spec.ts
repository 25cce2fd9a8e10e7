import { describe, expect, it } from '@jest/globals';
import { makeStories, STORIES } from '../../clients/demo/src/stories.js';
import { inTurn } from '../../clients/demo/src/turns.js';

const stories = makeStories();

/* That a registry takes them all, one after the other, is said by test/operations/demo.e2e-spec.ts. */
describe('the examples', () => {
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
