import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  append,
  creation,
  draft,
  edit,
  ledgerOver,
  MemoryStore,
  submitOne,
} from '../../../test/support/memory-store.js';
import { LANE_LIMITS } from './ledger.js';
import type { Operation } from './operation.js';

describe('a lane that accounts share', () => {
  let store: MemoryStore;
  beforeEach(() => {
    store = new MemoryStore();
  });

  it('is filled by no account alone: another has room, and its turn before what the first has waiting', async () => {
    const lane = ledgerOver(store, { ...LANE_LIMITS, queueCount: 3, batchCount: 1 });
    const by = (account: string, id: string): Operation => ({
      ...creation(id),
      author: { account, requestId: 'r' },
    });
    const answers = ['a', 'b', 'c', 'd'].map((id) => submitOne(lane, by('greedy', id)));
    const other = submitOne(lane, by('other', 'x'));
    await expect(answers[3]).rejects.toMatchObject({ status: 503 });
    await Promise.all([...answers.slice(0, 3), other]);
    expect([...store.rows.keys()]).toEqual(['a', 'x', 'b', 'c']);
  });

  it('has batches that are bounded by what its assets turn out to be, and the rest in the next ones', async () => {
    const lane = ledgerOver(store, { ...LANE_LIMITS, batchBytes: 1_000 });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await submitOne(lane, { ...creation(id), decide: () => draft(id, id.repeat(200)) });
    // Of five small ones it is thought that the next are small.
    store.log.length = 0;
    const changed = await Promise.all(ids.map((id) => submitOne(lane, append(id, 'x'))));
    expect(changed.map(({ body }) => body)).toEqual(ids.map((id) => `${id.repeat(200)}x`));
    expect(store.log.filter((line) => /^(lock|change)/.test(line))).toEqual([
      'lock free a b c d e',
      'change 2',
      'lock free c d',
      'change 2',
      'lock free e',
      'change 1',
    ]);
  });

  it('lets others have their turn between large assets of a batch', async () => {
    const large = 'x'.repeat(200 * 1024);
    const lane = ledgerOver(store);
    const ids = ['a', 'b', 'c', 'd'];
    for (const id of ids) await submitOne(lane, { ...creation(id), decide: () => draft(id, large) });
    const order: string[] = [];
    const changes = ids.map((id) =>
      submitOne(
        lane,
        edit(id, ({ body }) => {
          order.push(id);
          setImmediate(() => order.push('other'));
          return draft(id, `${body}!`);
        }),
      ),
    );
    await Promise.all(changes);
    expect(order).toEqual(['a', 'other', 'b', 'other', 'c', 'other', 'd', 'other']);
  });
});
