import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import type { HistoryRange, HistoryRead, HistoryState } from '../../database/readers/revision-reader.js';
import { DurableWatermark, SettledWatermark } from '../watermarks.js';
import { ReadPoint } from '../read-point.js';
import { AssetHistory, type HistorySource } from './asset-history.js';

const ID = 'a'.repeat(32);
const ALL: HistoryRange = { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: false, limit: 100 };
const NOT_FOUND = { status: 404 };

/** An asset changed at each of these instants and public from the second one on; `hidden` commits have ended but are not visible yet. */
class TornHistory implements HistorySource {
  atomicViews = false;
  changes: number[] = [];
  readonly hidden = new Set<number>();
  /** Changes without a revision, made by an earlier version. */
  readonly unknown = new Set<number>();
  clockUs = 0;
  readPoints = 0;
  beforeReadPoint: () => void = () => this.hidden.clear();

  async list(): Promise<HistoryRead | undefined> {
    const states = this.changes.flatMap((us, i) => (i === 0 || this.isShown(us, i) ? [this.stateOf(us, i)] : []));
    const now = states.at(-1);
    return Promise.resolve(now && { now, states: states.filter(({ listed }) => listed) });
  }

  async at(_id: string, us: number): ReturnType<HistorySource['at']> {
    const { changes } = this;
    const now = changes.findLast((change) => !this.hidden.has(change));
    if (now === undefined) return Promise.resolve(undefined);
    const next = changes.find((change) => change > us) ?? Infinity;
    const isMissing = next <= now && (this.hidden.has(next) || this.unknown.has(next));
    const index = changes.findLastIndex((change) => change <= us && change <= now);
    const asset = index > 0 && !isMissing ? ({ modifiedUs: changes[index] } as ReadAsset) : undefined;
    return Promise.resolve({ asset, missingUs: isMissing ? next : undefined });
  }

  async readPoint(): Promise<number> {
    this.readPoints++;
    this.beforeReadPoint();
    return Promise.resolve(this.clockUs);
  }

  /** An ended state becomes visible by the commit that ended it. */
  private isShown(us: number, index: number): boolean {
    const until = this.changes[index + 1];
    return until === undefined ? !this.hidden.has(us) : !this.hidden.has(until) && !this.unknown.has(until);
  }

  private stateOf(modifiedUs: number, index: number): HistoryState {
    const isKnown = index > 0 && !this.hidden.has(modifiedUs) && !this.unknown.has(modifiedUs);
    const change = isKnown ? { changed: [`field ${modifiedUs}`], wasListed: index > 1, ownerBefore: null } : undefined;
    return { modifiedUs, status: 's', relatedLot: null, owner: 'o', listed: index > 0, change, isFirst: index === 0 };
  }
}

let torn: TornHistory;
let settled: SettledWatermark;
let flushes: number;
let needsBarrier: boolean;
let history: AssetHistory;
const instants = async (): Promise<number[]> => (await history.list(ID, ALL)).map(({ modifiedUs }) => modifiedUs);

beforeEach(() => {
  torn = new TornHistory();
  torn.changes = [10, 20, 30, 40];
  torn.clockUs = 50;
  settled = new SettledWatermark();
  [flushes, needsBarrier] = [0, false];
  const durability = {
    needsBarrier: () => needsBarrier,
    timesLost: () => 0,
    flush: async () => Promise.resolve(void flushes++),
  };
  const durable = new DurableWatermark(durability);
  history = new AssetHistory(torn, torn, settled, durable, new ReadPoint(torn, settled));
});

describe('the list of an asset’s states', () => {
  it('names the fields that each change changed, except the one that published the asset', async () => {
    expect(await history.list(ID, ALL)).toEqual([
      { modifiedUs: 20, status: 's', relatedLot: null, changed: undefined },
      { modifiedUs: 30, status: 's', relatedLot: null, changed: ['field 30'] },
      { modifiedUs: 40, status: 's', relatedLot: null, changed: ['field 40'] },
    ]);
    expect(torn.readPoints).toBe(0);
  });

  it('is read again if a view shows a change without the previous one', async () => {
    torn.hidden.add(30);
    expect(await instants()).toEqual([20, 30, 40]);
    expect(torn.readPoints).toBe(1);
  });

  it('is read again if the view shows a change without the state that it ended', async () => {
    torn.hidden.add(40);
    torn.changes = [10, 20, 30, 40, 50];
    expect(await instants()).toEqual([20, 30, 40, 50]);
  });

  it('is not read again if views are atomic', async () => {
    torn.atomicViews = true;
    torn.unknown.add(30);
    expect(await instants()).toEqual([30, 40]);
    expect(torn.readPoints).toBe(0);
  });

  it('has a gap if a settled change has no revision', async () => {
    torn.unknown.add(30);
    torn.beforeReadPoint = () => undefined;
    expect(await history.list(ID, ALL)).toEqual([
      { modifiedUs: 30, status: 's', relatedLot: null, changed: undefined },
      { modifiedUs: 40, status: 's', relatedLot: null, changed: ['field 40'] },
    ]);
    expect(torn.readPoints).toBe(1);
    await instants();
    expect(torn.readPoints).toBe(1);
  });

  it('is 503 if every view is torn by another change', async () => {
    torn.hidden.add(30);
    torn.clockUs = 29;
    torn.beforeReadPoint = () => undefined;
    await expect(instants()).rejects.toMatchObject({ status: 503 });
  });

  it('waits until what it shows is durable', async () => {
    needsBarrier = true;
    await instants();
    expect(flushes).toBe(1);
  });
});

describe('an asset at an instant', () => {
  const at = async (us: number): Promise<number> => (await history.at(ID, us)).modifiedUs;

  it('waits for changes up to that instant, but not once they are settled', async () => {
    torn.changes = [10, 20, 30];
    torn.hidden.add(30);
    torn.clockUs = 35;
    expect(await at(35)).toBe(30);
    expect(torn.readPoints).toBe(1);
    await at(35);
    expect(torn.readPoints).toBe(1);
  });

  it('is read again if a view shows a later change without the one that ended it', async () => {
    torn.clockUs = 25;
    torn.hidden.add(40);
    torn.changes = [10, 20, 40, 50];
    torn.beforeReadPoint = () => {
      if (torn.readPoints === 2) torn.hidden.clear();
    };
    expect(await at(39)).toBe(20);
    expect(torn.readPoints).toBe(2);
  });

  it('is read again if all changes up to then are settled, but not the one that ended it', async () => {
    torn.clockUs = 39;
    expect(await at(39)).toBe(30);
    torn.changes = [10, 20, 30, 40, 50];
    torn.hidden.add(40);
    torn.clockUs = 50;
    expect(await at(39)).toBe(30);
    expect(torn.readPoints).toBe(2);
  });

  it('is 404 if it has no revision', async () => {
    torn.unknown.add(40);
    await expect(at(35)).rejects.toMatchObject(NOT_FOUND);
    expect(torn.readPoints).toBe(1);
  });

  it('is 503 if every view is torn by another change', async () => {
    torn.hidden.add(40);
    torn.changes = [10, 20, 40, 50];
    torn.clockUs = 39;
    torn.beforeReadPoint = () => undefined;
    await expect(at(39)).rejects.toMatchObject({ status: 503 });
  });

  it('waits until what it shows is durable', async () => {
    needsBarrier = true;
    await at(1_000);
    expect(flushes).toBe(1);
  });
});
