import { beforeEach, describe, expect, it } from '@jest/globals';
import { draft, ledgerOver, MemoryStore } from '../../test/support/memory-store.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { LANE_LIMITS } from '../feed/writing/ledger.js';
import type { Operation } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import { DryRuns, itemIdsFor } from './dry-runs.js';

const row = (id: string): Asset => stamp(draft(id, '{"title":"x"}'), undefined, 17, 'UA-1');
const caller = { inTime: <T>(work: Promise<T>) => work };
const itemIds = itemIdsFor({ isDryRun: true });
let dryRuns: DryRuns;
/** The ids of the rows that were asked for. */
let read: string[];

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
  read = [];
  const findRow = (id: string): Promise<Asset> => {
    read.push(id);
    return Promise.resolve(row(id));
  };
  const parts = [ledgerOver(new MemoryStore()), { findRow }] as unknown as ConstructorParameters<typeof DryRuns>;
  dryRuns = new DryRuns(...parts);
});

describe('a dry run', () => {
  it.each<[string, Partial<Operation>]>([
    ['has gone', { waiter: { isGone: () => true, whenGone: () => undefined } }],
    ['has waited too long', { waitedMs: LANE_LIMITS.deadlineMs }],
  ])('is 503, and reads nothing, where its client %s', async (_, more) => {
    await expect(dryRuns.submit(operationOf('{}', more), caller)).rejects.toMatchObject({ status: 503 });
    expect(read).toEqual([]);
  });

  it('leaves the ids of new items out, wherever they stand', async () => {
    const [first, last, only] = [`{"id":"${itemIds()}","a":1}`, `{"a":1,"id":"${itemIds()}"}`, `{"id":"${itemIds()}"}`];
    expect(await tried(`{"items":[${first},${last},${only},{"id":"b"}]}`)).toBe(
      '{"items":[{"a":1},{"a":1},{},{"id":"b"}]}',
    );
  });

  it('keeps what tells of erasures beside new items', async () => {
    const redacted = '"redacted":[{"pointer":"/title","reason":"r","at":"t"}]';
    expect(await tried(`{"items":[{"id":"${itemIds()}"}],${redacted}}`)).toBe(`{"items":[{}],${redacted}}`);
  });
});
