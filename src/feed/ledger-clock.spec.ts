import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { formatAssetId } from './asset-identifiers.js';
import { creation, decided, edit, MemoryStore, submitOne } from '../../test/support/memory-store.js';
import { DurableWatermark, LedgerClock, SettledWatermark } from './watermarks.js';
import { Ledger } from './writing/ledger.js';
import type { Operation } from './writing/operation.js';
import { SYSTEM_TIMING } from './clock/wall-clock.js';

const DAY_US = 86_400_000_000;
const MAX_LEAD_US = 1_000_000;
let store: MemoryStore;
let settled: SettledWatermark;
let nowUs: number;
let wallClock: { nowUs: () => number; isTrusted: boolean };
let needsBarrier: boolean;
let endFlush: () => void;
let ledger: Ledger;

beforeEach(() => {
  store = new MemoryStore();
  settled = new SettledWatermark();
  [nowUs, needsBarrier] = [1_000, false];
  wallClock = { nowUs: () => nowUs, isTrusted: true };
  const clock = new LedgerClock({
    wallClock,
    settled,
    durable: new DurableWatermark({
      needsBarrier: () => needsBarrier,
      timesLost: () => 0,
      flush: () => new Promise((resolve) => (endFlush = resolve)),
    }),
    dayOf: (us) => `day${Math.floor(us / DAY_US)}`,
    maxLeadUs: MAX_LEAD_US,
  });
  const assetIdOf = (day: string, number: number): string => formatAssetId('UA', day, number);
  ledger = new Ledger({ store, timing: SYSTEM_TIMING, clock, assetIdOf });
});

describe('the ledger of a process', () => {
  it('never reuses an instant that it has seen, even if the database goes back to an older state', async () => {
    settled.raise(5_000);
    store.clockUs = 10;
    expect((await submitOne(ledger, creation('a'))).modifiedUs).toBe(5_001);
  });

  it('answers a change without effect only once the asset shown is durable', async () => {
    needsBarrier = true;
    store.rows.set('a', { ...(await submitOne(ledger, creation('a'))), modifiedUs: nowUs + 1 });
    const answered = jest.fn();
    const answer = submitOne(
      ledger,
      edit('a', () => undefined),
    ).then(answered);
    await ledger.idle();
    await new Promise((resolve) => void setImmediate(resolve));
    expect(answered).not.toHaveBeenCalled();
    endFlush();
    await answer;
  });

  it('stores when it was last at work', async () => {
    await ledger.noteTime();
    expect(store.notedUs).toBe(nowUs);
  });
});

describe('the ledger, while the clock is not trusted', () => {
  const inDoubt = { status: 503, headers: { 'Retry-After': '2' }, message: expect.stringMatching(/clock is in doubt/) };

  beforeEach(() => void (wallClock.isTrusted = false));

  it('refuses changes', async () => {
    await expect(submitOne(ledger, creation('a'))).rejects.toMatchObject(inDoubt);
    expect(store.log).toEqual([]);
  });

  it('does not store the time', async () => {
    await expect(ledger.noteTime()).rejects.toMatchObject(inDoubt);
    expect(store.log).toEqual([]);
  });

  it('accepts changes again once it is trusted', async () => {
    wallClock.isTrusted = true;
    expect((await submitOne(ledger, creation('a'))).id).toBe('a');
  });
});

describe('when the feed’s clock is far ahead of the wall clock', () => {
  const POISONED_US = 7_305 * DAY_US;

  beforeEach(() => {
    nowUs = 5 * DAY_US;
    store.clockUs = POISONED_US;
  });

  it('instants continue, and assets are numbered by the wall clock’s day', async () => {
    const made = await Promise.all(['a', 'b'].map((id) => submitOne(ledger, creation(id))));
    expect(made.map(({ modifiedUs, assetId }) => [modifiedUs - POISONED_US, assetId])).toEqual([
      [1, 'UA-day5-000001'],
      [2, 'UA-day5-000002'],
    ]);
  });

  it('assets are numbered by the instant’s day if the lead is within the permitted difference of clocks', async () => {
    nowUs = 6 * DAY_US - 1;
    store.clockUs = nowUs + MAX_LEAD_US - 1;
    expect((await submitOne(ledger, creation('a'))).assetId).toBe('UA-day6-000001');
    expect((await submitOne(ledger, creation('b'))).assetId).toBe('UA-day5-000001');
  });

  it('receipts still expire after 24 hours of the wall clock', async () => {
    const receipt = { id: 'r', bodyDigest: 'd', assetId: 'a', salt: 's' };
    await submitOne(ledger, { ...creation('a'), receipt });
    expect(store.receipts.get('r')?.createdUs).toBe(nowUs);
    nowUs += DAY_US + 1;
    const decide: Operation['decide'] = (_, { receipt: kept }) => decided('b', JSON.stringify(kept ?? 'none'));
    expect((await submitOne(ledger, { ...creation('b'), receipt, decide })).body).toBe('"none"');
  });
});
