import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { draft, ledgerOver, MemoryStore } from '../../test/support/memory-store.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { LANE_LIMITS } from '../feed/writing/ledger.js';
import type { Operation } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import { DryRuns, itemIdsFor } from './dry-runs.js';

const row = (id: string): Asset => stamp(draft(id, '{"title":"x"}'), undefined, 17, 'UA-1');
let caller: { waitedMs: number; beforeDeadline<T>(work: Promise<T>): Promise<T> };
const itemIds = itemIdsFor({ isDryRun: true });
let dryRuns: DryRuns;
/** The ids of the rows that were asked for. */
let read: string[];
/** Lets the rows come that were asked for. */
let letCome: (() => void)[];
let isHeld: boolean;

const operationOf = (body: string, more: Partial<Operation> = {}): Operation => ({
  ids: ['a'],
  creates: false,
  author: { account: 'a', requestId: 'r' },
  bytes: 10,
  decide: () => draft('a', body),
  ...more,
});
const tried = async (body: string): Promise<unknown> => {
  const [asset] = await dryRuns.submit(operationOf(body), caller);
  return asset?.body;
};

beforeEach(() => {
  [read, letCome, isHeld] = [[], [], false];
  caller = { waitedMs: 0, beforeDeadline: (work) => work };
  const findRow = async (id: string): Promise<Asset> => {
    read.push(id);
    if (isHeld) await new Promise<void>((resolve) => letCome.push(resolve));
    return row(id);
  };
  const parts = [ledgerOver(new MemoryStore()), { findRow }] as unknown as ConstructorParameters<typeof DryRuns>;
  dryRuns = new DryRuns(...parts);
});

describe('a dry run', () => {
  it.each<[string, Partial<Operation>, number]>([
    ['has gone', { waiter: { isGone: () => true, whenGone: () => undefined } }, 0],
    ['has waited too long', {}, LANE_LIMITS.deadlineMs],
  ])('is 503, and reads nothing, where its client %s', async (_, more, waitedMs) => {
    caller.waitedMs = waitedMs;
    await expect(dryRuns.submit(operationOf('{}', more), caller)).rejects.toMatchObject({ status: 503 });
    expect(read).toEqual([]);
  });

  it('of a group waits for that of another, and is judged then; one of a single asset does not wait', async () => {
    isHeld = true;
    const group = (...ids: string[]): Promise<Asset[]> => dryRuns.submit(operationOf('{}', { ids }), caller);
    const answers = Promise.allSettled([group('a', 'b'), group('c', 'd'), group('e')]);
    await setImmediate();
    expect(read.toSorted()).toEqual(['a', 'b', 'e']);
    caller.waitedMs = LANE_LIMITS.deadlineMs;
    for (const come of letCome) come();
    expect((await answers).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(read).toHaveLength(3);
  });

  it('keeps what tells of erasures beside new items', async () => {
    const redacted = '"redacted":[{"pointer":"/title","reason":"r","at":"t"}]';
    expect(await tried(`{"items":[{"id":"${itemIds()}"}],${redacted}}`)).toBe(`{"items":[{}],${redacted}}`);
  });
});
