import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { draft, ledgerOver, MemoryStore } from '../../test/support/memory-store.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { LANE_LIMITS } from '../feed/writing/ledger.js';
import type { Operation } from '../feed/writing/operation.js';
import { stamp } from '../feed/writing/written-rows.js';
import { RegistryTime } from '../time/registry-time.js';
import type { GroupChange } from './assets.service.js';
import { DryRuns } from './dry-runs.js';

const BODY = `{"title":"${'x'.repeat(20_000)}"}`;
const row = (id: string): Asset => stamp(draft(id, BODY), undefined, 17, 'UA-1');
let dryRuns: DryRuns;
/** The ids of the rows that were asked for, and what lets them come. */
let read: string[];
let letCome: (() => void)[];
let caller: { waitedMs: number; gone: boolean; isGone(): boolean; whenGone(): void };

/** Changes nothing of what is there. */
const operationOf = (wanted: GroupChange): Operation => ({
  ids: wanted.members.map(({ id }) => id),
  creates: false,
  author: { account: 'a', requestId: 'r' },
  bytes: 10,
  waitedMs: 0,
  decide: () => undefined,
});
const findRow = async (id: string): Promise<Asset> => {
  read.push(id);
  await new Promise<void>((resolve) => letCome.push(resolve));
  return row(id);
};
const group = (...ids: string[]): Promise<string[]> =>
  dryRuns.changeGroup({ members: ids.map((id) => ({ id, patch: {} })), account: {}, caller } as unknown as GroupChange);

beforeEach(() => {
  read = [];
  letCome = [];
  caller = { waitedMs: 0, gone: false, isGone: () => caller.gone, whenGone: () => undefined };
  const parts = [
    ledgerOver(new MemoryStore()),
    { operationOf },
    { wantedGroup: (change: GroupChange) => Promise.resolve(change) },
    { findRow },
    {},
    new RegistryTime('UTC'),
  ];
  dryRuns = new DryRuns(...(parts as unknown as ConstructorParameters<typeof DryRuns>));
});

describe('groups that are tried', () => {
  it.each<[string, () => void]>([
    ['has gone', () => (caller.gone = true)],
    ['has waited too long', () => (caller.waitedMs = LANE_LIMITS.deadlineMs)],
  ])('are 503, and not read, where their client %s before they begin', async (_, happen) => {
    const answers = Promise.allSettled([group('a'), group('b')]);
    while (read.length === 0) await setImmediate();
    happen();
    letCome[0]?.();
    expect((await answers)[1]).toMatchObject({ reason: { status: 503 } });
    expect(read).toEqual(['a']);
  });
});
