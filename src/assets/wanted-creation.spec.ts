import { describe, expect, it } from '@jest/globals';
import { basic } from '../asset-types/basic/basic.asset-type.js';
import { readFields } from '../asset-types/fields-json.js';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import example from '../asset-types/basic/basic.example.json' with { type: 'json' };
import { newId } from '../asset/identifiers.js';
import { type AssetCreation, wantedCreation } from './assets.service.js';

const input = { type: basic, fields: readFields(basic.dto, example.data, SERVICE_FIELDS).fields };

describe('the draft of a new asset', () => {
  it.each([
    ['at once', 1_000, false],
    ['after a turn of the event loop where much was sent, as its fields were just checked', 100_000, true],
  ])('is made %s', async (_, heldBytes, hasTurn) => {
    const creation = { input, account: { name: 'broker' }, caller: { heldBytes } } as unknown as AssetCreation;
    let isTurnOver = false;
    const turn = setImmediate(() => (isTurnOver = true));
    const { draft, bytes } = await wantedCreation(newId(), creation, 'token');
    clearImmediate(turn);
    expect([isTurnOver, JSON.parse(draft.body)]).toMatchObject([hasTurn, { title: example.data.title }]);
    // What was sent is there until the answer.
    expect(bytes).toBeGreaterThan(heldBytes + draft.body.length);
  });
});
