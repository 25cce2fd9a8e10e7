import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { unavailable } from '../../platform/errors/errors.js';
import { SnapshotFile } from './snapshot-file.js';
import type { SnapshotInProgress } from './snapshot-writer.js';
import { SnapshotSeries } from './snapshots.js';

const MAX_AGE_MS = 600_000;
const SMALL_BYTES = 64 * 1024;

describe('the snapshots of one format', () => {
  let folder: string;
  /** The feed's position. */
  let feed: { clockUs: number; epoch: string; erasedUs: number };
  let position: jest.Mock<() => Promise<typeof feed>>;
  let begin: jest.Mock<() => Promise<SnapshotInProgress>>;
  let series: SnapshotSeries;
  let releasedSlots: number;
  /** Minimum size of the snapshots. */
  let padding: number;
  let nowMs: number;
  const made: SnapshotSeries[] = [];

  const seriesOf = (maxAgeMs: number | undefined): SnapshotSeries => {
    const one = new SnapshotSeries('jsonl', maxAgeMs, { position }, { begin });
    made.push(one);
    return one;
  };
  const make = async (): Promise<SnapshotInProgress> => {
    const file = await SnapshotFile.create(folder, feed);
    const text = Buffer.from(`${feed.epoch} ${feed.clockUs}`.padEnd(padding));
    return { file, done: file.append(text).then(() => true) };
  };
  const newest = (): Promise<SnapshotFile> => series.newest({ releaseSlot: () => void releasedSlots++ });
  const answered = async (): Promise<string> => (await buffer((await newest()).read())).toString().trim();
  const later = (ms: number): void => void (nowMs += ms);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'snapshots-'));
    feed = { clockUs: 1, epoch: 'e', erasedUs: 0 };
    // An integer, because differences of fractions are inexact.
    [padding, releasedSlots, nowMs] = [0, 0, Math.ceil(performance.now())];
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    position = jest.fn(() => Promise.resolve({ ...feed }));
    begin = jest.fn(make);
    series = seriesOf(MAX_AGE_MS);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const one of made.splice(0)) await one.close();
    await rm(folder, { recursive: true });
  });

  it('are written once for all requests, and served while they are recent', async () => {
    expect(new Set(await Promise.all([answered(), answered(), answered()]))).toEqual(new Set(['e 1']));
    expect(releasedSlots).toBe(3);
    feed.clockUs = 2;
    later(MAX_AGE_MS - 1);
    expect(await answered()).toBe('e 1');
    expect([begin.mock.calls.length, releasedSlots]).toEqual([1, 3]);
    later(1);
    expect(await answered()).toBe('e 2');
    expect(begin).toHaveBeenCalledTimes(2);
  });

  it('are served at any age while nothing has changed', async () => {
    await answered();
    later(10 * MAX_AGE_MS);
    expect(await answered()).toBe('e 1');
    expect(begin).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a small one is written again after any change', SMALL_BYTES - 1, 'e 2'],
    ['a larger one is served for ten minutes', SMALL_BYTES, 'e 1'],
  ])('without SNAPSHOT_MAX_AGE, %s', async (_, bytes, expected) => {
    padding = bytes;
    series = seriesOf(undefined);
    expect([await answered(), await answered()]).toEqual(['e 1', 'e 1']);
    expect(begin).toHaveBeenCalledTimes(1);
    feed.clockUs = 2;
    later(MAX_AGE_MS - 1);
    expect(await answered()).toBe(expected);
    later(2);
    expect(await answered()).toBe('e 2');
  });

  it.each([
    ['another one follows', undefined, 'e 2'],
    ['it is served within SNAPSHOT_MAX_AGE', MAX_AGE_MS, 'e 1'],
  ])('requested after a change while an earlier one is written: %s', async (_, maxAgeMs, expected) => {
    series = seriesOf(maxAgeMs);
    const gate = new EventEmitter();
    begin.mockImplementationOnce(async () => {
      const making = await make();
      gate.emit('begun');
      await once(gate, 'open');
      return making;
    });
    const [before] = [answered(), await once(gate, 'begun')];
    feed.clockUs = 2;
    const after = answered();
    await position.mock.results.at(-1)?.value;
    gate.emit('open');
    expect([await before, await after]).toEqual(['e 1', expected]);
  });

  it.each([
    ['of another epoch', { epoch: 'f' }, 'f 1'],
    ['ahead of the feed', { clockUs: 0 }, 'e 0'],
    ['from before the newest erasure', { clockUs: 3, erasedUs: 2 }, 'e 3'],
  ])('are not served if they are %s', async (_, change, expected) => {
    expect(await answered()).toBe('e 1');
    Object.assign(feed, change);
    expect([await answered(), await answered()]).toEqual([expected, expected]);
    expect(begin).toHaveBeenCalledTimes(2);
  });

  it('are not served if a field was erased while they were written', async () => {
    begin.mockImplementationOnce(async () => {
      const making = await make();
      Object.assign(feed, { clockUs: 3, erasedUs: 2 });
      return making;
    });
    await answered();
    expect(await answered()).toBe('e 3');
  });

  it('fall back to the previous one if writing fails, and to 503 without one', async () => {
    begin.mockRejectedValueOnce(unavailable('database_away'));
    await expect(newest()).rejects.toMatchObject({ status: 503 });
    await answered();
    [feed.clockUs, nowMs] = [2, nowMs + MAX_AGE_MS];
    begin.mockRejectedValueOnce(unavailable('database_away'));
    expect(await answered()).toBe('e 1');
    begin.mockImplementationOnce(async () => ({ ...(await make()), done: Promise.resolve(false) }));
    expect(await answered()).toBe('e 1');
    expect(await answered()).toBe('e 2');
  });

  it('keep two older ones on disk for slow readers, and disconnect readers of even older ones', async () => {
    const readers = [];
    for (feed.clockUs = 1; feed.clockUs <= 4; feed.clockUs++) {
      readers.push((await newest()).read().on('error', () => undefined));
      later(MAX_AGE_MS);
    }
    expect(readers.map(({ destroyed }) => destroyed)).toEqual([true, false, false, false]);
    const texts = await Promise.all(readers.slice(1).map((reader) => buffer(reader)));
    expect(texts.map(String)).toEqual(['e 2', 'e 3', 'e 4']);
  });
});
