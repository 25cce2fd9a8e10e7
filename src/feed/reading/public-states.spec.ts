import { describe, expect, it } from '@jest/globals';
import type { FittingAssets } from '../../database/readers/asset-reader.js';
import type { ReadAsset } from '../../database/readers/asset-row.js';
import type { PublicRevision } from '../../database/readers/revision-feed.js';
import type { FeedRange } from '../../database/readers/feed-reader.js';
import { bodyDelta } from '../../database/readers/body-delta.js';
import type { StoredState } from '../../database/readers/past-asset.js';
import { assetNotFound, unavailable } from '../../platform/errors/errors.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { type PublicState, PublicStates, type StateSources, type StatesInOrder } from './public-states.js';

const READER = { isGone: () => false };
const bodyAt = (id: string, us: number): string => `{"title":"${id} as it was at ${us}"}`;

const assetAt = (id: string, modifiedUs: number): ReadAsset =>
  ({ id, modifiedUs, owner: 'o', body: EncodedText.from(Buffer.from(bodyAt(id, modifiedUs))) }) as ReadAsset;

/** Histories in memory: the instants of each asset's public states, of which the last is the current one. */
class Histories {
  readonly assets = new Map<string, number[]>();
  readonly damaged = new Set<number>();
  /** How many whole assets fit into a page. */
  fitting = Infinity;
  /** States with large revisions, by the instants at which they began. */
  readonly large = new Set<number>();
  /** How many states were read one by one. */
  alone = 0;
  isAway = false;
  /** Runs once, between two reads. */
  meanwhile: () => void = () => undefined;

  readonly states = new PublicStates(
    { read: (range) => Promise.resolve(this.page(range)) },
    {
      after: (us) => this.endedAfter(us),
      untilByModified: (states) => Promise.resolve(this.untilByModified(states)),
      storedStates: (instants) => Promise.resolve(this.kept(instants)),
      assetsOf: (instants) => Promise.resolve(this.assetsOf(instants)),
    },
    { findFitting: (ids) => Promise.resolve(this.fittingOnes(ids)) },
    { at: (id, us, caller) => (caller?.isGone() ? Promise.reject(unavailable('client_gone')) : this.at(id, us)) },
  );

  change(id: string, us: number): void {
    this.assets.set(id, [...(this.assets.get(id) ?? []), us]);
  }

  private page({ afterUs, beforeUs, limit, whole }: FeedRange): Awaited<ReturnType<StateSources['feed']['read']>> {
    const present = [...this.assets].map(([id, instants]) => ({ id, modifiedUs: instants.at(-1) as number }));
    const entries = present
      .filter(({ modifiedUs }) => modifiedUs > afterUs && modifiedUs < beforeUs)
      .toSorted((one, other) => one.modifiedUs - other.modifiedUs)
      .slice(0, whole ? Math.min(limit, this.fitting) : limit)
      .map((entry) => ({ ...entry, asset: whole ? assetAt(entry.id, entry.modifiedUs) : undefined }));
    this.pass();
    return { epoch: '', limit, entries };
  }

  private ended(): PublicRevision[] {
    const all = [...this.assets].flatMap(([asset, instants]) =>
      instants.slice(1).map((untilUs, i) => ({ asset, modifiedUs: instants[i] as number, untilUs })),
    );
    return all.toSorted((one, other) => one.untilUs - other.untilUs);
  }

  private async *endedAfter(us: number): AsyncGenerator<PublicRevision[]> {
    const ended = this.ended().filter(({ untilUs }) => untilUs > us);
    this.pass();
    yield await Promise.resolve(ended);
  }

  private kept(instants: readonly number[]): StoredState[] {
    const wanted = this.ended().filter(
      ({ modifiedUs, untilUs }) => instants.includes(untilUs) && !this.large.has(modifiedUs),
    );
    return wanted.toReversed().map((state) => {
      const { asset, modifiedUs, untilUs } = state;
      const version = 1 + (this.assets.get(asset) ?? []).indexOf(modifiedUs);
      const { body, checksum, ...same } = bodyDelta(bodyAt(asset, modifiedUs), bodyAt(asset, untilUs), version);
      const kept = { ...state, ...same, status: '', relatedLot: null, owner: 'o', body: Buffer.from(body) };
      return { ...kept, checksum: this.damaged.has(modifiedUs) ? checksum + 1 : checksum };
    });
  }

  private untilByModified(states: readonly Pick<PublicRevision, 'asset' | 'modifiedUs'>[]): Map<number, number> {
    const ended = this.ended();
    const ends = states.flatMap(({ asset, modifiedUs }) =>
      ended.filter((state) => state.asset === asset && state.modifiedUs >= modifiedUs).slice(0, 8),
    );
    return new Map(ends.map(({ modifiedUs, untilUs }) => [modifiedUs, untilUs]));
  }

  private assetsOf(instants: readonly number[]): Map<number, string> {
    const wanted = this.ended().filter(({ untilUs }) => instants.includes(untilUs));
    return new Map(wanted.map(({ asset, modifiedUs }) => [modifiedUs, asset]));
  }

  private fittingOnes(ids: readonly string[]): FittingAssets {
    const some = ids.slice(0, this.fitting);
    return { assets: some.map((id) => assetAt(id, this.assets.get(id)?.at(-1) as number)), idsRead: some.length };
  }

  private at(id: string, us: number): Promise<ReadAsset> {
    this.alone++;
    if (this.isAway) return Promise.reject(unavailable('client_gone'));
    const modifiedUs = this.assets.get(id)?.findLast((one) => one <= us);
    if (modifiedUs === undefined || this.damaged.has(modifiedUs)) return Promise.reject(assetNotFound());
    return Promise.resolve(assetAt(id, modifiedUs));
  }

  private pass(): void {
    const { meanwhile } = this;
    this.meanwhile = () => undefined;
    meanwhile();
  }
}

/** Each letter is an asset, and each of its positions in the text the instant of a change: `abca` is a, b, c and a again. */
function historiesOf(text: string): Histories {
  const histories = new Histories();
  [...text].forEach((id, i) => histories.change(id, i + 1));
  return histories;
}

async function readAll({ states }: Histories, listed: StatesInOrder, count: number): Promise<PublicState[]> {
  const all: PublicState[] = [];
  while (listed.remaining > 0) for await (const state of states.read(listed, count)) all.push(state);
  for (const { id, modifiedUs, asset } of all)
    if (asset !== undefined) expect(asset).toMatchObject({ id, modifiedUs, body: assetAt(id, modifiedUs).body });
  return all;
}

const summaryOf = (all: readonly PublicState[]): string =>
  all.map(({ id, modifiedUs, asset }) => `${id}${modifiedUs}${asset === undefined ? '!' : ''}`).join(' ');

const ABCABD = 'a1 b2 c3 a4 b5 d6';

describe('the public states between two instants', () => {
  it.each([1, 3, 256])('are yielded once each, in the order of the feed, %i at a time', async (count) => {
    const histories = historiesOf('abcabd');
    const listed = await histories.states.between(0, 6);
    expect(listed.remaining).toBe(6);
    expect(summaryOf(await readAll(histories, listed, count))).toBe(ABCABD);
    expect(summaryOf(await readAll(histories, await histories.states.between(2, 5), count))).toBe('c3 a4 b5');
    expect((await histories.states.between(6, 9)).remaining).toBe(0);
  });

  it.each([1, 256])('include states that ended while they were listed, %i at a time', async (count) => {
    const histories = historiesOf('abcabd');
    histories.meanwhile = () => [...'abcd'].forEach((id, i) => histories.change(id, 7 + i));
    expect(summaryOf(await readAll(histories, await histories.states.between(0, 6), count))).toBe(ABCABD);
  });

  it.each([1, 256])('include states that ended after they were listed, %i at a time', async (count) => {
    const histories = historiesOf('abcabd');
    const listed = await histories.states.between(0, 6);
    [...'abdd'].forEach((id, i) => histories.change(id, 7 + i));
    expect(summaryOf(await readAll(histories, listed, count))).toBe(ABCABD);
  });

  it.each([1, 256])('include states that ended between two reads, %i at a time', async (count) => {
    const histories = historiesOf('abcabd');
    histories.fitting = 1;
    const listed = await histories.states.between(0, 6);
    histories.meanwhile = () => [...'abcd'].forEach((id, i) => histories.change(id, 7 + i));
    expect(summaryOf(await readAll(histories, listed, count))).toBe(ABCABD);
  });

  it('include states that do not fit into the page', async () => {
    const histories = historiesOf('abcabd');
    for (histories.fitting of [0, 1, 2])
      expect(summaryOf(await readAll(histories, await histories.states.between(0, 6), 256))).toBe(ABCABD);
  });

  it('may exceed a page of the feed', async () => {
    const histories = new Histories();
    for (let us = 1; us <= 2_500; us++) histories.change(`a${us % 2_100}_`, us);
    const all = await readAll(histories, await histories.states.between(0, 2_500), 256);
    expect(all.map(({ modifiedUs }) => modifiedUs)).toEqual(Array.from({ length: 2_500 }, (_, i) => i + 1));
    expect(all.every(({ id, modifiedUs }) => id === `a${modifiedUs % 2_100}_`)).toBe(true);
  });

  it('include states with large revisions', async () => {
    const histories = historiesOf('abcabdaabb');
    histories.large.add(1).add(5);
    const listed = await histories.states.between(0, 10);
    expect(summaryOf(await readAll(histories, listed, 256))).toBe(`${ABCABD} a7 a8 b9 b10`);
    expect(histories.alone).toBeGreaterThan(1);
  });

  it('have no asset if their revision is damaged', async () => {
    const histories = historiesOf('abcabd');
    histories.damaged.add(1).add(2);
    const listed = await histories.states.between(0, 6);
    expect(summaryOf(await readAll(histories, listed, 4))).toBe(ABCABD.replace('a1 b2', 'a1! b2!'));
    expect(await histories.states.at('a', 1)).toBeUndefined();
    expect(await histories.states.at('a', 3)).toBeUndefined();
    expect((await histories.states.at('a', 4))?.modifiedUs).toBe(4);
  });

  it.each([1, 6])('are yielded for entries of the log, %i at a time', async (count) => {
    const text = 'abcabdbbbbbbbbbbbbbb';
    const histories = historiesOf(text);
    const entries = [...text].map((asset, i) => ({ asset, modifiedUs: i + 1 }));
    histories.damaged.add(2);
    const all: PublicState[] = [];
    for (let at = 0; at < entries.length; at += count)
      for await (const { entry, asset } of histories.states.of(entries.slice(at, at + count), READER))
        all.push({ id: entry.asset, modifiedUs: entry.modifiedUs, asset });
    expect(summaryOf(all)).toBe(
      entries.map((one) => `${one.asset}${one.modifiedUs}${one.modifiedUs === 2 ? '!' : ''}`).join(' '),
    );
    for (const { id, modifiedUs, asset } of all)
      if (asset !== undefined) expect(asset).toMatchObject({ id, modifiedUs, body: assetAt(id, modifiedUs).body });
    // Only the damaged one is read by itself.
    expect(histories.alone).toBe(1);
  });

  it('are yielded for entries whose assets do not fit or whose revisions are large', async () => {
    const histories = historiesOf('abcabd');
    histories.fitting = 1;
    histories.large.add(1);
    const entries = [...'abcabd'].map((asset, i) => ({ asset, modifiedUs: i + 1 }));
    const given: (number | undefined)[] = [];
    for await (const { asset } of histories.states.of(entries, READER)) given.push(asset?.modifiedUs);
    expect(given).toEqual([1, 2, 3, 4, 5, 6]);
    expect((await histories.states.of([], READER).next()).done).toBe(true);
  });

  it('fail while the database is away, and do not count as damaged', async () => {
    const histories = historiesOf('aab');
    histories.large.add(1);
    histories.isAway = true;
    await expect(readAll(histories, await histories.states.between(0, 3), 4)).rejects.toMatchObject({ status: 503 });
  });
});
