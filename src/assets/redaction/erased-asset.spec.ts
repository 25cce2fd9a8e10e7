import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { printAsset } from '../../feed/reading/asset-view.js';
import { commitmentOf, isBound, type Opening } from '#tlog';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { StoredRevision, StatePortion } from '../../database/repositories/redactions.js';
import { checksumOf, isWhole, bodyDelta, type BodyDelta, restoreBody } from '../../database/readers/body-delta.js';
import type { LogEntry } from '../../database/entities/log-entry.entity.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { ErasedAsset, type KeptAsset } from './erased-asset.js';

const time = new RegistryTime('Europe/Kyiv');
const ID = 'a'.repeat(32);
const FIRST_US = 1_700_000_000_000_000;
const VERSIONS = 20;

type Printed = Record<string, unknown>;

/** All that is kept of an asset, the newest state first. */
interface KeptStates extends StatePortion {
  asset: Asset;
  entries: readonly LogEntry[];
}

const bodyAt = (i: number): string =>
  `{"title":"Назва ${i}","value":{"amount":${i}.0},"a/b":{"secret":"таємне ${i}"},"items":[{"id":"x","note":{"text":"таємне"}},{"id":"y"}]}`;

function assetOf(bodies: readonly string[]): Asset {
  const modifiedUs = FIRST_US + bodies.length - 1;
  return {
    id: ID,
    assetId: 'UA-2026-11-23-000001',
    assetType: 'basic',
    status: 'pending',
    owner: 'broker',
    tokenDigest: '',
    relatedLot: null,
    body: bodies.at(-1) as string,
    version: bodies.length,
    createdUs: FIRST_US,
    modifiedUs,
    feedUs: modifiedUs,
  };
}

/** An asset that had these bodies one after the other, each with its entry in the log. */
function keptOf(bodies: readonly string[]): KeptStates {
  const asset = assetOf(bodies);
  const revisions = bodies.slice(0, -1).map((body, i): StoredRevision => {
    const kept = bodyDelta(body, bodies[i + 1] as string, i + 1);
    const { status, owner, relatedLot } = asset;
    const us = { untilUs: FIRST_US + i + 1, modifiedUs: FIRST_US + i };
    const row = { asset: ID, version: i + 1, status, owner, relatedLot, ...us, listed: 1, changed: '[]' };
    return { ...row, ...kept, body: Buffer.from(kept.body) };
  });
  const entries = bodies.map((body, place) => {
    const secret = randomBytes(32);
    const printed = JSON.parse(printAsset({ ...asset, body, modifiedUs: FIRST_US + place }, time)) as Printed;
    const opening = JSON.stringify({ secret: secret.toString('base64') });
    const commitment = commitmentOf(printed, secret);
    return { place, asset: ID, createdUs: FIRST_US, modifiedUs: FIRST_US + place, commitment, opening };
  });
  return { asset, revisions: revisions.toReversed(), entries };
}

/** As the database gives it: a few states at a time. */
function inPortions({ asset, revisions, entries }: KeptStates, size: number): KeptAsset {
  const of = (states: readonly { modifiedUs: number }[]): LogEntry[] =>
    entries.filter(({ modifiedUs }) => states.some((state) => state.modifiedUs === modifiedUs));
  async function* read(): AsyncGenerator<StatePortion> {
    for (let from = 0; from < revisions.length; from += size) {
      const some = revisions.slice(from, from + size);
      yield { revisions: some, entries: of(some) };
    }
  }
  return { asset, entries: of([asset]), read };
}

async function allOf<Value>(portions: AsyncIterable<ReadonlyMap<number, Value>>): Promise<Map<number, Value>> {
  const all = new Map<number, Value>();
  for await (const portion of portions) for (const [us, value] of portion) all.set(us, value);
  return all;
}

function rowsWith(rows: readonly StoredRevision[], bodies: ReadonlyMap<number, BodyDelta>): StoredRevision[] {
  return rows.map((row) => {
    const next = bodies.get(row.untilUs) as BodyDelta;
    return { ...row, ...next, body: Buffer.from(next.body) };
  });
}

/** What is kept once it is erased, as the database would give it back. */
async function erased(kept: KeptStates, pointers: string[], us = FIRST_US + 1_000, size = 3): Promise<KeptStates> {
  const erasing = new ErasedAsset(inPortions(kept, size), pointers, time);
  const openings = await allOf(erasing.survey());
  const told = { reason: 'чому', at: time.print(us) };
  const current = erasing.changed(us, told);
  const rows = rowsWith(kept.revisions, await allOf(erasing.bodies(current, told)));
  const { asset, ended } = current;
  const revisions = ended === undefined ? rows : [{ ...ended, body: Buffer.from(ended.body) }, ...rows];
  const entries = kept.entries.map((entry) => ({ ...entry, opening: openings.get(entry.place) ?? entry.opening }));
  return { asset, revisions, entries };
}

/** Bodies of all states, the oldest first; undefined where one does not match its checksum. */
function bodiesOf({ asset, revisions }: KeptStates): (string | undefined)[] {
  let after: Buffer = Buffer.from(asset.body);
  const bodies: (string | undefined)[] = [asset.body];
  for (const row of revisions) {
    after = isWhole(row) ? row.body : restoreBody(row, after);
    bodies.push(checksumOf(after) === row.checksum ? after.toString() : undefined);
  }
  return bodies.toReversed();
}

function areBound(kept: KeptStates): boolean[] {
  const bodies = bodiesOf(kept);
  return kept.entries.map(({ opening, commitment }, place) => {
    const printed = printAsset({ ...kept.asset, body: bodies[place] as string }, time);
    return isBound(JSON.parse(printed) as Printed, JSON.parse(opening) as Opening, commitment as string);
  });
}

const all = Array.from({ length: VERSIONS }, (_, i) => bodyAt(i));

describe('an asset of which fields are erased', () => {
  it('has them in no state, and all else as it was, byte for byte', async () => {
    const bodies = bodiesOf(await erased(keptOf(all), ['/a~1b/secret']));
    expect(bodies).toHaveLength(VERSIONS + 1);
    const told = `"redacted":[{"pointer":"/a~1b/secret","reason":"чому","at":"${time.print(FIRST_US + 1_000)}"}]`;
    const expected = all.map((body) => body.replace(/"secret":"[^"]*"/, '').replace(/\}$/, `,${told}}`));
    expect(bodies).toEqual([...expected, expected.at(-1)]);
  });

  it.each([
    ['a name with a slash', [['/a~1b/secret']]],
    ['all of an object', [['/a~1b']]],
    ['a member of each item, which leaves an empty one', [['/items/*/note/text']]],
    ['several, one after the other', [['/title'], ['/items/*/note/text', '/a~1b/secret']]],
    ['what is in what was emptied before', [['/a~1b/secret'], ['/a~1b']]],
    ['a number', [['/value/amount'], ['/items']]],
  ])('leaves each entry of the log bound to its state: %s', async (_, orders) => {
    let kept = keptOf(all);
    for (const [i, pointers] of orders.entries()) kept = await erased(kept, pointers, FIRST_US + 1_000 + i);
    expect(areBound(kept)).toEqual(all.map(() => true));
    expect(JSON.stringify(kept.entries)).not.toContain('secret"');
  });

  it('is bound to no other state', async () => {
    const { asset, entries, revisions } = await erased(keptOf(all), ['/title']);
    const others = entries.map((entry, i) => ({ ...entry, opening: entries.at(i - 1)?.opening ?? '' }));
    expect(areBound({ asset, revisions, entries: others })).toEqual(all.map(() => false));
  });

  it('leaves states and entries alone that never had the field', async () => {
    const kept = keptOf(['{"title":"перша"}', '{"title":"друга","description":"зайве"}', '{"title":"третя"}']);
    const after = await erased(kept, ['/description']);
    const bodies = bodiesOf(after);
    expect([bodies[0], bodies[2]]).toEqual(['{"title":"перша"}', '{"title":"третя"}']);
    expect(JSON.parse(bodies[1] as string)).toEqual({ title: 'друга', redacted: [expect.anything()] });
    expect(JSON.parse(after.asset.body)).toEqual({ title: 'третя', redacted: [expect.anything()] });
    expect(after.entries.map(({ opening }) => opening.includes('"secret":'))).toEqual([true, false, true]);
  });

  it('says in the current state which fields earlier ones had, each by its place', async () => {
    const item = (name: string): string => `{"items":[{"note":"a"},{"note":"b","${name}":"x"}]}`;
    const { asset } = await erased(keptOf([item('secret'), item('other'), '{"items":[]}']), [
      '/items/*/secret',
      '/items/*/other',
    ]);
    const { redacted } = JSON.parse(asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer).toSorted()).toEqual(['/items/1/other', '/items/1/secret']);
  });

  it('says in the current state both what it had itself and what only earlier ones had', async () => {
    const kept = keptOf(['{"title":"a","description":"b"}', '{"title":"a"}']);
    const { asset } = await erased(kept, ['/title', '/description']);
    const { redacted } = JSON.parse(asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer)).toEqual(['/title', '/description']);
  });

  it('adds to what was erased before', async () => {
    const kept = await erased(await erased(keptOf(all), ['/title']), ['/value'], FIRST_US + 2_000);
    const { redacted } = JSON.parse(kept.asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer)).toEqual(['/title', '/value']);
    expect(bodiesOf(kept)).not.toContain(undefined);
  });

  it('empties states that cannot be read, and reads those before a gap', async () => {
    const kept = keptOf(all);
    // Version 12 was changed by hand, and version 5 was never kept: those before it hang on it up to one that is whole.
    const broken = kept.revisions.map((row) => (row.version === 12 ? { ...row, body: Buffer.from('таємне') } : row));
    const after = await erased({ ...kept, revisions: broken.filter(({ version }) => version !== 5) }, ['/a~1b']);
    expect(Buffer.concat(after.revisions.map(({ body }) => body)).toString()).not.toContain('таємне 1');
    const emptied = after.revisions.filter(({ checksum, body }) => checksum === -1 && body.length === 0);
    expect(emptied.map(({ version }) => version)).toEqual([12, 4, 3, 2, 1]);
    expect(bodiesOf(after).filter((body) => body !== undefined)).toHaveLength(VERSIONS - 5);
  });

  it.each(['"таємне', '"таємне"', '["таємне"]', 'null', '1'])(
    'empties %j, which has taken the place of a state, with its checksum',
    async (forged) => {
      const kept = keptOf(all.slice(0, 2));
      const body = Buffer.from(forged);
      const revisions = kept.revisions.map((row) => ({
        ...row,
        body,
        sameStart: 0,
        sameEnd: 0,
        checksum: checksumOf(body),
      }));
      const after = await erased({ ...kept, revisions }, ['/title']);
      expect(after.revisions.map(({ checksum, body: left }) => [checksum, left.length])).toEqual([
        [expect.any(Number), expect.any(Number)],
        [-1, 0],
      ]);
      expect(bodiesOf(after)).toEqual([undefined, expect.any(String), expect.stringContaining('redacted')]);
      const now = { ...kept, asset: { ...kept.asset, body: forged } };
      await expect(erased(now, ['/title'])).rejects.toThrow(
        /^The present state of the asset is no JSON object: .*; nothing was changed$/,
      );
    },
  );

  it.each(['', 'null', '{"secret":"AA=="}', '{"secrets":null}'])(
    'is erased where %j has taken the place of what opens its entries, and nothing opens them then',
    async (opening) => {
      const kept = keptOf(all);
      const damaged = kept.entries.map((entry) => (entry.place === 2 ? { ...entry, opening } : entry));
      const after = await erased({ ...kept, entries: damaged }, ['/title']);
      expect(after.entries[2]?.opening).toBe('{"secrets":[],"erased":{}}');
      expect(areBound(after)).toEqual(after.entries.map(({ place }) => place !== 2));
      expect(bodiesOf(after)).toEqual(expect.not.arrayContaining([expect.stringContaining('Назва')]));
    },
  );

  it('is erased again in place, without a new state', async () => {
    const kept = keptOf(all);
    const erasing = new ErasedAsset(inPortions(kept, 3), ['/title'], time);
    await allOf(erasing.survey());
    const told = { reason: 'чому', at: 'тоді' };
    const current = erasing.inPlace(told);
    const { asset, ended } = current;
    expect([asset.version, asset.modifiedUs, ended]).toEqual([VERSIONS, kept.asset.modifiedUs, undefined]);
    const revisions = rowsWith(kept.revisions, await allOf(erasing.bodies(current, told)));
    expect(bodiesOf({ asset, revisions, entries: [] })).toEqual(all.map(() => expect.not.stringContaining('Назва')));
  });

  it('tells which pointers meet nothing, and where the same text still stands', async () => {
    const kept = keptOf(['{"title":"телефон 123","items":[{"note":"див. телефон 123"}]}']);
    const found = new ErasedAsset(inPortions(kept, 3), ['/title', '/nothing', '/items/*/nothing'], time);
    await allOf(found.survey());
    expect([found.count, found.unmet]).toEqual([1, ['/nothing', '/items/*/nothing']]);
    expect(await found.elsewhere()).toEqual(['/items/*/note']);
  });

  it('knows the same text in capitals', async () => {
    const others = '"description":"ЗЕМЛЯ ЙОСИПА ЇЖАКА","items":[{"note":"Йосип"}]';
    const kept = keptOf([`{"title":"Йосипа Їжака",${others}}`]);
    const found = new ErasedAsset(inPortions(kept, 3), ['/title'], time);
    await allOf(found.survey());
    expect(await found.elsewhere()).toEqual(['/description']);
    expect([found.isIn('на вимогу Йосипа ЇЖАКА'), found.isIn('на вимогу Йосипа')]).toEqual([true, false]);
  });

  it.each([
    ['ΟΔΟΣ', 'ΟΔΟΣΑ 5'],
    ['Straße', 'HAUPTSTRASSE'],
    ['Straße', 'HAUPTSTRAẞE'],
  ])('knows %s in %s', async (title, other) => {
    const found = new ErasedAsset(inPortions(keptOf([JSON.stringify({ title, other })]), 3), ['/title'], time);
    await allOf(found.survey());
    expect([await found.elsewhere(), found.isIn(`${other}, Київ`)]).toEqual([['/other'], true]);
  });

  it.each([1, VERSIONS])('is the same in portions of %i', async (size) => {
    const kept = keptOf(all);
    const [one, other] = [await erased(kept, ['/title'], undefined, size), await erased(kept, ['/title'])];
    expect([one.asset, one.revisions]).toEqual([other.asset, other.revisions]);
  });
});
