import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { decided, ledgerOver, MemoryStore } from '../../test/support/memory-store.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { LANE_LIMITS } from '../feed/writing/ledger.js';
import type { Operation } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import { DryRuns, itemIdsFor } from './dry-runs.js';

const row = (id: string): Asset => stamp(decided(id, '{"title":"x"}'), undefined, 17, 'UA-1');
let caller: { waitedMs: number; beforeDeadline<T>(work: Promise<T>): Promise<T> };
const itemIds = itemIdsFor({ isDryRun: true });
let dryRuns: DryRuns;
/** Ids of the requested rows. */
let read: string[];
/** Release the rows that wait. */
let releases: (() => void)[];
let isWaiting: boolean;

const operationOf = (body: string, more: Partial<Operation> = {}): Operation => ({
  ids: ['a'],
  creates: false,
  author: { account: 'a', requestId: 'r' },
  bytes: 10,
  decide: () => decided('a', body),
  ...more,
});
const bodyAfter = async (body: string): Promise<unknown> => {
  const [asset] = await dryRuns.submit(operationOf(body), caller);
  return asset?.body;
};

beforeEach(() => {
  [read, releases, isWaiting] = [[], [], false];
  caller = { waitedMs: 0, beforeDeadline: (work) => work };
  const findRow = async (id: string): Promise<Asset> => {
    read.push(id);
    if (isWaiting) await new Promise<void>((resolve) => releases.push(resolve));
    return row(id);
  };
  const parts = [ledgerOver(new MemoryStore()), { findRow }] as unknown as ConstructorParameters<typeof DryRuns>;
  dryRuns = new DryRuns(...parts);
});

describe('a dry run', () => {
  it.each<[string, Partial<Operation>, number]>([
    ['has disconnected', { waiter: { isGone: () => true, whenGone: () => undefined } }, 0],
    ['has waited too long', {}, LANE_LIMITS.deadlineMs],
  ])('is 503, and reads nothing, if its client %s', async (_, more, waitedMs) => {
    caller.waitedMs = waitedMs;
    await expect(dryRuns.submit(operationOf('{}', more), caller)).rejects.toMatchObject({ status: 503 });
    expect(read).toEqual([]);
  });

  it('of a group waits for another group and checks its deadline then; one of a single asset does not wait', async () => {
    isWaiting = true;
    const group = (...ids: string[]): Promise<Asset[]> => dryRuns.submit(operationOf('{}', { ids }), caller);
    const answers = Promise.allSettled([group('a', 'b'), group('c', 'd'), group('e')]);
    await setImmediate();
    expect(read.toSorted()).toEqual(['a', 'b', 'e']);
    caller.waitedMs = LANE_LIMITS.deadlineMs;
    for (const release of releases) release();
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(read).toHaveLength(3);
  });

  it('keeps the list of erasures next to new items', async () => {
    const redacted = '"redacted":[{"pointer":"/title","reason":"r","at":"t"}]';
    expect(await bodyAfter(`{"items":[{"id":"${itemIds()}"}],${redacted}}`)).toBe(`{"items":[{}],${redacted}}`);
  });
});
