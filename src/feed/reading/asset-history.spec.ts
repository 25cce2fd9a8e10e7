import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import type { HistoryRange, HistorySnapshot, HistoryState } from '../../database/readers/revision-reader.js';
import { DurableWatermark, SettledWatermark } from '../watermarks.js';
import { ReadPoint } from '../read-point.js';
import { AssetHistory, type HistorySource } from './asset-history.js';

const ID = 'a'.repeat(32);
const ALL: HistoryRange = { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: false, limit: 100 };
const NOT_FOUND = { status: 404 };

/** An asset that was changed at each of these instants, public from the second one on; `hidden` commits are over, and not shown yet. */
class TornHistory implements HistorySource {
  atomicViews = false;
  changes: number[] = [];
  readonly hidden = new Set<number>();
  /** Changes of which no revision tells, as they were made by an earlier version. */
  readonly unknown = new Set<number>();
  clockUs = 0;
  readPoints = 0;
  beforeReadPoint: () => void = () => this.hidden.clear();

  async list(): Promise<HistorySnapshot | undefined> {
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
    const place = changes.findLastIndex((change) => change <= us && change <= now);
    const asset = place > 0 && !isMissing ? ({ modifiedUs: changes[place] } as ReadAsset) : undefined;
    return Promise.resolve({ asset, missingUs: isMissing ? next : undefined });
  }

  async readPoint(): Promise<number> {
    this.readPoints++;
    this.beforeReadPoint();
    return Promise.resolve(this.clockUs);
  }

  /** A state that is over is shown by the commit that ended it. */
  private isShown(us: number, place: number): boolean {
    const until = this.changes[place + 1];
    return until === undefined ? !this.hidden.has(us) : !this.hidden.has(until) && !this.unknown.has(until);
  }

  private stateOf(modifiedUs: number, place: number): HistoryState {
    const isKnown = place > 0 && !this.hidden.has(modifiedUs) && !this.unknown.has(modifiedUs);
    const change = isKnown ? { changed: [`field ${modifiedUs}`], wasListed: place > 1, ownerBefore: null } : undefined;
    return { modifiedUs, status: 's', relatedLot: null, owner: 'o', listed: place > 0, change, isFirst: place === 0 };
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
  it('tells what each change changed, and not what made it public', async () => {
    expect(await history.list(ID, ALL)).toEqual([
      { modifiedUs: 20, status: 's', relatedLot: null, changed: undefined },
      { modifiedUs: 30, status: 's', relatedLot: null, changed: ['field 30'] },
      { modifiedUs: 40, status: 's', relatedLot: null, changed: ['field 40'] },
    ]);
    expect(torn.readPoints).toBe(0);
  });

  it('is read again where a view shows a change without the one before it', async () => {
    torn.hidden.add(30);
    expect(await instants()).toEqual([20, 30, 40]);
    expect(torn.readPoints).toBe(1);
  });

  it('is read again where the view shows the change and not what it ended', async () => {
    torn.hidden.add(40);
    torn.changes = [10, 20, 30, 40, 50];
    expect(await instants()).toEqual([20, 30, 40, 50]);
  });

  it('is taken as it is where views are moments', async () => {
    torn.atomicViews = true;
    torn.unknown.add(30);
    expect(await instants()).toEqual([30, 40]);
    expect(torn.readPoints).toBe(0);
  });

  it('has a gap where a change is known to be over and no revision tells of it', async () => {
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

  it('is 503 where every view is torn by yet another change', async () => {
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

  it('waits for the changes of that instant and before, and no more once they are known to be over', async () => {
    torn.changes = [10, 20, 30];
    torn.hidden.add(30);
    torn.clockUs = 35;
    expect(await at(35)).toBe(30);
    expect(torn.readPoints).toBe(1);
    await at(35);
    expect(torn.readPoints).toBe(1);
  });

  it('is looked for again where a view shows a later change without the one that ended it', async () => {
    torn.clockUs = 25;
    torn.hidden.add(40);
    torn.changes = [10, 20, 40, 50];
    torn.beforeReadPoint = () => {
      if (torn.readPoints === 2) torn.hidden.clear();
    };
    expect(await at(39)).toBe(20);
    expect(torn.readPoints).toBe(2);
  });

  it('is looked for again where all changes until then are known to be over, and not the one that ended it', async () => {
    torn.clockUs = 39;
    expect(await at(39)).toBe(30);
    torn.changes = [10, 20, 30, 40, 50];
    torn.hidden.add(40);
    torn.clockUs = 50;
    expect(await at(39)).toBe(30);
    expect(torn.readPoints).toBe(2);
  });

  it('is not there where no revision tells of it', async () => {
    torn.unknown.add(40);
    await expect(at(35)).rejects.toMatchObject(NOT_FOUND);
    expect(torn.readPoints).toBe(1);
  });

  it('is 503 where every view is torn by yet another change', async () => {
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
