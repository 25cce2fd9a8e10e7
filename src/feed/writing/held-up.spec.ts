import { beforeEach, describe, expect, it } from '@jest/globals';
import { append, creation, draft, ledgerOver, MemoryStore, submitOne } from '../../../test/support/memory-store.js';
import { until } from '../../../test/support/until.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { Ledger } from './ledger.js';
import { RetryableError } from './ledger-store.js';
import type { Operation } from './operation.js';

let store: MemoryStore;
let lane: Ledger;

const locked = (): string[] => store.log.filter((line) => line.startsWith('lock'));

/** Who waits for an asset that another holds does so until the database gives up. */
beforeEach(async () => {
  store = new MemoryStore();
  lane = ledgerOver(store);
  await Promise.all(['a', 'b', 'c'].map((id) => submitOne(lane, creation(id))));
  await lane.idle();
  store.lockedByOthers.add('a');
  store.fault = (step) => {
    const [, ...ids] = (store.log.at(-1) as string).split(' ');
    if (ids[0] === 'free') return;
    if (step === 'lock' && ids.some((id) => store.lockedByOthers.has(id))) throw new RetryableError('held');
  };
});

describe('an asset that somebody holds', () => {
  it('holds up nobody who wants another, and is changed once it is let go', async () => {
    const held = submitOne(lane, append('a', 'x'));
    const others = ['b', 'c'].map((id) => submitOne(lane, append(id, 'y')));
    expect((await Promise.all(others)).map(({ body }) => body)).toEqual(['{}y', '{}y']);
    store.lockedByOthers.clear();
    expect((await held).body).toBe('{}x');
  });

  it('is waited for by nobody who comes later', async () => {
    const held = submitOne(lane, append('a', 'x'));
    await until(() => locked().includes('lock free a'));
    for (const id of ['b', 'c']) expect((await submitOne(lane, append(id, 'y'))).body).toBe('{}y');
    expect(locked().filter((line) => / a .|[bc] a$/.test(line))).toEqual([]);
    store.lockedByOthers.clear();
    expect((await held).body).toBe('{}x');
  });

  it('holds up all of a group, and leaves the order of the changes of one asset', async () => {
    const group: Operation = {
      ...append('a', 'x'),
      ids: ['a', 'b'],
      decide: (current) => draft((current as Asset).id, `${(current as Asset).body}x`),
    };
    const both = lane.submit(group);
    const after = submitOne(lane, append('b', 'y'));
    expect((await submitOne(lane, append('c', 'z'))).body).toBe('{}z');
    expect(store.rows.get('b')?.body).toBe('{}');
    store.lockedByOthers.clear();
    expect((await both).map(({ body }) => body)).toEqual(['{}x', '{}x']);
    expect((await after).body).toBe('{}xy');
  });

  it('keeps no creation from being tried again', async () => {
    const held = submitOne(lane, append('a', 'x'));
    expect((await submitOne(lane, creation('d'))).id).toBe('d');
    store.lockedByOthers.clear();
    await held;
  });
});
