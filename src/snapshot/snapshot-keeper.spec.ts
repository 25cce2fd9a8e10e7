import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Config } from '../config/config.js';
import type { WholeFeed } from '../feed/reading/whole-feed.js';
import { until } from '../../test/support/until.js';
import { SnapshotFolder } from './snapshot-folder.js';
import { SnapshotKeeper } from './snapshot-keeper.js';
import type { Making, SnapshotMaker } from './snapshot-maker.js';
import { historyOf, type SnapshotFormat, SnapshotName } from './snapshot-name.js';

const ZONE = 'Europe/Kyiv';
const MAX_AGE_MS = 600_000;
const TOLD = { snapshotMaxAgeMs: MAX_AGE_MS };

describe('the keeper of snapshots', () => {
  let path: string;
  let folder: SnapshotFolder;
  /** Where the feed is. */
  let feed: { clockUs: number; epoch: string; erasedUs: number };
  let place: jest.Mock<() => Promise<typeof feed>>;
  let begin: jest.Mock<(format: SnapshotFormat) => Promise<Making>>;
  let keeper: SnapshotKeeper;

  /** Of what stands behind the text of each. */
  let padding: number;

  const make = async (format: SnapshotFormat): Promise<Making> => {
    const file = await folder.create(SnapshotName.next(historyOf(feed.epoch, ZONE), feed.clockUs, format));
    const write = async (): Promise<boolean> => {
      await file.append(Buffer.from(`${feed.epoch} ${feed.clockUs}`.padEnd(padding)));
      await folder.publish(file);
      return true;
    };
    return { file, over: write() };
  };
  const keepers: SnapshotKeeper[] = [];
  const keeperOf = (timeZone = ZONE, format: SnapshotFormat = 'jsonl', told: object = TOLD): SnapshotKeeper => {
    const made = new SnapshotKeeper(
      format,
      { timeZone, ...told } as Config,
      { place } as unknown as WholeFeed,
      folder,
      { begin } as unknown as SnapshotMaker,
    );
    keepers.push(made);
    return made;
  };
  /** How often those who ask have released their slots. */
  let releasedSlots: number;
  const caller = {
    releaseSlot: (): void => void releasedSlots++,
    withoutSlot: <Result>(waiting: Promise<Result>): Promise<Result> => {
      releasedSlots++;
      return waiting;
    },
  };
  const answered = async (by = keeper): Promise<string> => {
    const { file } = await by.newest(caller);
    const text = await buffer(file.read());
    file.release();
    return text.toString().trim();
  };
  /** The time, which stands still but for `later`. */
  let nowMs: number;
  const later = (ms: number): void => void (nowMs += ms);

  beforeEach(async () => {
    path = join(await mkdtemp(join(tmpdir(), 'keeper-')), 'below', 'snapshots');
    folder = new SnapshotFolder(path);
    feed = { clockUs: 1, epoch: 'e', erasedUs: 0 };
    padding = 0;
    releasedSlots = 0;
    nowMs = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => nowMs);
    place = jest.fn(() => Promise.resolve({ ...feed }));
    begin = jest.fn(make);
    keeper = keeperOf();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const made of keepers.splice(0)) await made.close();
    await rm(join(path, '..', '..'), { recursive: true });
  });

  it('has one made for all who ask, and gives it for as long as it is new enough', async () => {
    expect(new Set(await Promise.all([answered(), answered(), answered()]))).toEqual(new Set(['e 1']));
    feed.clockUs = 2;
    expect(await answered()).toBe('e 1');
    later(MAX_AGE_MS - 10_000);
    expect(await answered()).toBe('e 1');
    expect(begin).toHaveBeenCalledTimes(1);
    later(20_000);
    expect(await answered()).toBe('e 2');
    expect(begin).toHaveBeenCalledTimes(2);
    expect(await readdir(path)).toHaveLength(1);
  });

  it.each([
    ['a small one is made anew once anything has changed', 64 * 1024 - 1, 'e 2'],
    ['a larger one is given for ten minutes', 64 * 1024, 'e 1'],
  ])('where no age was told, %s', async (_, bytes, expected) => {
    padding = bytes;
    keeper = keeperOf(ZONE, 'jsonl', {});
    expect(await answered()).toBe('e 1');
    expect(await answered()).toBe('e 1');
    expect(begin).toHaveBeenCalledTimes(1);
    feed.clockUs = 2;
    later(599_000);
    expect(await answered()).toBe(expected);
    later(2_000);
    expect(await answered()).toBe('e 2');
  });

  it.each([
    ['a small one that was begun before is followed by another', {}, 'e 2'],
    ['one may be as old as was told', TOLD, 'e 1'],
  ])('whoever asks after a change while one is made: %s', async (_, told, expected) => {
    keeper = keeperOf(ZONE, 'jsonl', told);
    const gate = new EventEmitter();
    const begun = once(gate, 'begun');
    begin.mockImplementationOnce(async (format) => {
      const making = await make(format);
      gate.emit('begun');
      await once(gate, 'open');
      return making;
    });
    const before = answered();
    await begun;
    feed.clockUs = 2;
    const looked = once(gate, 'looked');
    place.mockImplementationOnce(() => {
      gate.emit('looked');
      return Promise.resolve({ ...feed });
    });
    const after = answered();
    await looked;
    gate.emit('open');
    expect([await before, await after]).toEqual(['e 1', expected]);
  });

  it('gives and keeps none that is older than the newest erasure', async () => {
    expect(await answered()).toBe('e 1');
    Object.assign(feed, { clockUs: 3, erasedUs: 2 });
    expect(await answered()).toBe('e 3');
    expect(await readdir(path)).toHaveLength(1);
    expect(await answered()).toBe('e 3');
    expect(begin).toHaveBeenCalledTimes(2);
  });

  it('gives none that was begun before an erasure and ends after it', async () => {
    begin.mockImplementationOnce(async (format) => {
      const making = await make(format);
      Object.assign(feed, { clockUs: 3, erasedUs: 2 });
      return making;
    });
    const first = keeper.newest(caller);
    await first.then(({ file }) => file.release());
    // Nobody has to ask for another one.
    while ((await readdir(path)).length > 0) await sleep(5);
    expect(await answered()).toBe('e 3');
    expect(await readdir(path)).toHaveLength(1);
  });

  it('makes none for who found one that was replaced meanwhile', async () => {
    await answered();
    jest.spyOn(folder, 'open').mockResolvedValueOnce(undefined);
    expect(await answered(keeperOf())).toBe('e 1');
    expect(begin).toHaveBeenCalledTimes(1);
  });

  it('gives one of any age while nothing has changed, unless it was made before this start of the service', async () => {
    await answered();
    later(MAX_AGE_MS + 1);
    expect(await answered()).toBe('e 1');
    expect(begin).toHaveBeenCalledTimes(1);
    await answered(keeperOf());
    expect(begin).toHaveBeenCalledTimes(2);
  });

  it('gives that of another process', async () => {
    await answered();
    expect(await answered(keeperOf())).toBe('e 1');
    expect(begin).toHaveBeenCalledTimes(1);
  });

  it('gives none of the future, where the clock was set back, and keeps none', async () => {
    await answered();
    feed.clockUs = 2;
    later(-60_000);
    expect([await answered(), await answered()]).toEqual(['e 2', 'e 2']);
    expect(begin).toHaveBeenCalledTimes(2);
    expect(await readdir(path)).toHaveLength(1);
  });

  it('of two that are ready together keeps the later one, whoever ends first', async () => {
    const [first, second] = await Promise.all([make('jsonl'), make('jsonl')]);
    expect(await Promise.all([first.over, second.over])).toEqual([true, true]);
    const [newest] = (await folder.list()).toSorted((a, b) => (a.isBefore(b) ? 1 : -1));
    const last = first.file.name.isBefore(second.file.name) ? second : first;
    expect(newest?.whole).toBe(last.file.name.whole);
    for (const { file } of [first, second]) file.release();
  });

  it.each([
    ['another history', () => (feed.epoch = 'f'), 'f 1'],
    ['a history that was taken back', () => (feed.clockUs = 0), 'e 0'],
  ])('gives none of %s', async (_, happen, expected) => {
    await answered();
    happen();
    expect(await answered()).toBe(expected);
  });

  it('gives none with instants of another zone', async () => {
    await answered();
    await answered(keeperOf('Europe/London')).catch(() => undefined);
    expect(begin).toHaveBeenCalledTimes(2);
  });

  it('waits for another process that makes one, and has none made meanwhile', async () => {
    const other = spawn('sleep', ['600']);
    const name = SnapshotName.next(historyOf('e', ZONE), 1, 'jsonl');
    const [ours, theirs] = [`-${process.pid}-`, `-${other.pid}-`];
    await mkdir(path, { recursive: true });
    const [part, whole] = [name.part, name.whole].map((one) => join(path, one.replace(ours, theirs))) as [
      string,
      string,
    ];
    await writeFile(part, 'theirs');
    const asked = answered();
    await until(() => releasedSlots > 0);
    // At once, as the other process does it: who read meanwhile would find half of it.
    await rename(part, whole);
    expect(await asked).toBe('theirs');
    expect(begin).not.toHaveBeenCalled();
    other.kill();
    await once(other, 'exit');
    feed.clockUs = 2;
    later(MAX_AGE_MS + 1);
    expect(await answered()).toBe('e 2');
  });

  it('forgets what killed processes have left from before an erasure, and not what is being made', async () => {
    const [before, after] = [SnapshotName.next('abc', 1, 'jsonl').part, SnapshotName.next('abc', 2, 'jsonl').part];
    // No system gives such a number to a process.
    const ofKilled = (file: string): string => file.replace(`-${process.pid}-`, `-${2 ** 30}-`);
    await folder.make();
    for (const file of [before, ofKilled(before), ofKilled(after)]) await writeFile(join(path, file), '');
    await folder.forget('abc', 2);
    expect((await readdir(path)).toSorted()).toEqual([before, ofKilled(after)].toSorted());
  });

  it('clears away what killed processes have left, and nothing else', async () => {
    await answered();
    const [old, fresh] = [SnapshotName.next('abc', 1, 'jsonl').part, SnapshotName.next('abc', 2, 'csv').part];
    for (const file of [old, fresh, 'mine.txt']) await writeFile(join(path, file), '');
    const past = new Date(Date.now() - 120_000);
    for (const file of [old, 'mine.txt']) await utimes(join(path, file), past, past);
    await folder.clear();
    const left = await readdir(path);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining([fresh, 'mine.txt']));
  });
});
