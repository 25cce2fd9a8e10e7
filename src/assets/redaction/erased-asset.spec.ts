import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { printAsset } from '../../feed/reading/asset-view.js';
import { commitmentOf, isBound, type Opening } from '#tlog';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { StoredRevision, StatePortion } from '../../database/repositories/redactions.js';
import { checksumOf, isWhole, bodyDelta, type BodyDelta, restoreBody } from '../../database/readers/body-delta.js';
import type { LogEntry } from '../../database/entities/log-entry.entity.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { ErasedAsset, type StoredAsset } from './erased-asset.js';

const time = new RegistryTime('Europe/Kyiv');
const ID = 'a'.repeat(32);
const FIRST_US = 1_700_000_000_000_000;
const VERSIONS = 20;

type Printed = Record<string, unknown>;

/** The stored states of an asset, newest first. */
interface StoredStates extends StatePortion {
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

/** @returns an asset that had these bodies in turn, each with an entry in the log */
function storedWith(bodies: readonly string[]): StoredStates {
  const asset = assetOf(bodies);
  const revisions = bodies.slice(0, -1).map((body, i): StoredRevision => {
    const delta = bodyDelta(body, bodies[i + 1] as string, i + 1);
    const { status, owner, relatedLot } = asset;
    const us = { untilUs: FIRST_US + i + 1, modifiedUs: FIRST_US + i };
    const row = { asset: ID, version: i + 1, status, owner, relatedLot, ...us, listed: 1, changed: '[]' };
    return { ...row, ...delta, body: Buffer.from(delta.body) };
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

/** As the database reads it: a few states at a time. */
function inPortions({ asset, revisions, entries }: StoredStates, size: number): StoredAsset {
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

/** @returns the stored states after an erasure */
async function erased(
  stored: StoredStates,
  pointers: string[],
  us = FIRST_US + 1_000,
  size = 3,
): Promise<StoredStates> {
  const erasing = new ErasedAsset(inPortions(stored, size), pointers, time);
  const openings = await allOf(erasing.survey());
  const note = { reason: 'чому', at: time.print(us) };
  const current = erasing.changed(us, note);
  const rows = rowsWith(stored.revisions, await allOf(erasing.bodies(current, note)));
  const { asset, ended } = current;
  const revisions = ended === undefined ? rows : [{ ...ended, body: Buffer.from(ended.body) }, ...rows];
  const entries = stored.entries.map((entry) => ({ ...entry, opening: openings.get(entry.place) ?? entry.opening }));
  return { asset, revisions, entries };
}

/** Bodies of all states, oldest first; undefined for one that does not match its checksum. */
function bodiesOf({ asset, revisions }: StoredStates): (string | undefined)[] {
  let after: Buffer = Buffer.from(asset.body);
  const bodies: (string | undefined)[] = [asset.body];
  for (const row of revisions) {
    after = isWhole(row) ? row.body : restoreBody(row, after);
    bodies.push(checksumOf(after) === row.checksum ? after.toString() : undefined);
  }
  return bodies.toReversed();
}

function areBound(stored: StoredStates): boolean[] {
  const bodies = bodiesOf(stored);
  return stored.entries.map(({ opening, commitment }, place) => {
    const printed = printAsset({ ...stored.asset, body: bodies[place] as string }, time);
    return isBound(JSON.parse(printed) as Printed, JSON.parse(opening) as Opening, commitment as string);
  });
}

const all = Array.from({ length: VERSIONS }, (_, i) => bodyAt(i));

describe('an asset with erased fields', () => {
  it('lacks them in every state, and keeps everything else byte for byte', async () => {
    const bodies = bodiesOf(await erased(storedWith(all), ['/a~1b/secret']));
    expect(bodies).toHaveLength(VERSIONS + 1);
    const redacted = `"redacted":[{"pointer":"/a~1b/secret","reason":"чому","at":"${time.print(FIRST_US + 1_000)}"}]`;
    const expected = all.map((body) => body.replace(/"secret":"[^"]*"/, '').replace(/\}$/, `,${redacted}}`));
    expect(bodies).toEqual([...expected, expected.at(-1)]);
  });

  it.each([
    ['a name with a slash', [['/a~1b/secret']]],
    ['all of an object', [['/a~1b']]],
    ['a member of each item, which becomes empty', [['/items/*/note/text']]],
    ['several, one after another', [['/title'], ['/items/*/note/text', '/a~1b/secret']]],
    ['the parent of a field erased before', [['/a~1b/secret'], ['/a~1b']]],
    ['a number', [['/value/amount'], ['/items']]],
  ])('keeps each log entry bound to its state: %s', async (_, orders) => {
    let stored = storedWith(all);
    for (const [i, pointers] of orders.entries()) stored = await erased(stored, pointers, FIRST_US + 1_000 + i);
    expect(areBound(stored)).toEqual(all.map(() => true));
    expect(JSON.stringify(stored.entries)).not.toContain('secret"');
  });

  it('binds no log entry to another state', async () => {
    const { asset, entries, revisions } = await erased(storedWith(all), ['/title']);
    const others = entries.map((entry, i) => ({ ...entry, opening: entries.at(i - 1)?.opening ?? '' }));
    expect(areBound({ asset, revisions, entries: others })).toEqual(all.map(() => false));
  });

  it('keeps states and entries that never had the field', async () => {
    const stored = storedWith(['{"title":"перша"}', '{"title":"друга","description":"зайве"}', '{"title":"третя"}']);
    const after = await erased(stored, ['/description']);
    const bodies = bodiesOf(after);
    expect([bodies[0], bodies[2]]).toEqual(['{"title":"перша"}', '{"title":"третя"}']);
    expect(JSON.parse(bodies[1] as string)).toEqual({ title: 'друга', redacted: [expect.anything()] });
    expect(JSON.parse(after.asset.body)).toEqual({ title: 'третя', redacted: [expect.anything()] });
    expect(after.entries.map(({ opening }) => opening.includes('"secret":'))).toEqual([true, false, true]);
  });

  it('lists in the current state the fields that earlier ones had, with the index of their item', async () => {
    const item = (name: string): string => `{"items":[{"note":"a"},{"note":"b","${name}":"x"}]}`;
    const { asset } = await erased(storedWith([item('secret'), item('other'), '{"items":[]}']), [
      '/items/*/secret',
      '/items/*/other',
    ]);
    const { redacted } = JSON.parse(asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer).toSorted()).toEqual(['/items/1/other', '/items/1/secret']);
  });

  it('lists in the current state its own erased fields and those of earlier states', async () => {
    const stored = storedWith(['{"title":"a","description":"b"}', '{"title":"a"}']);
    const { asset } = await erased(stored, ['/title', '/description']);
    const { redacted } = JSON.parse(asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer)).toEqual(['/title', '/description']);
  });

  it('adds to earlier erasures', async () => {
    const stored = await erased(await erased(storedWith(all), ['/title']), ['/value'], FIRST_US + 2_000);
    const { redacted } = JSON.parse(stored.asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer)).toEqual(['/title', '/value']);
    expect(bodiesOf(stored)).not.toContain(undefined);
  });

  it('empties unreadable states, and reads those before a gap', async () => {
    const stored = storedWith(all);
    // Version 12 was changed by hand, and version 5 is missing: the versions before it depend on it, back to one that is stored whole.
    const broken = stored.revisions.map((row) => (row.version === 12 ? { ...row, body: Buffer.from('таємне') } : row));
    const after = await erased({ ...stored, revisions: broken.filter(({ version }) => version !== 5) }, ['/a~1b']);
    expect(Buffer.concat(after.revisions.map(({ body }) => body)).toString()).not.toContain('таємне 1');
    const emptied = after.revisions.filter(({ checksum, body }) => checksum === -1 && body.length === 0);
    expect(emptied.map(({ version }) => version)).toEqual([12, 4, 3, 2, 1]);
    expect(bodiesOf(after).filter((body) => body !== undefined)).toHaveLength(VERSIONS - 5);
  });

  it.each(['"таємне', '"таємне"', '["таємне"]', 'null', '1'])(
    'empties %j, which replaced a state together with its checksum',
    async (forged) => {
      const stored = storedWith(all.slice(0, 2));
      const body = Buffer.from(forged);
      const revisions = stored.revisions.map((row) => ({
        ...row,
        body,
        sameStart: 0,
        sameEnd: 0,
        checksum: checksumOf(body),
      }));
      const after = await erased({ ...stored, revisions }, ['/title']);
      expect(after.revisions.map(({ checksum, body: left }) => [checksum, left.length])).toEqual([
        [expect.any(Number), expect.any(Number)],
        [-1, 0],
      ]);
      expect(bodiesOf(after)).toEqual([undefined, expect.any(String), expect.stringContaining('redacted')]);
      const now = { ...stored, asset: { ...stored.asset, body: forged } };
      await expect(erased(now, ['/title'])).rejects.toThrow(
        /^The current state of the asset is no JSON object: .*; nothing was changed$/,
      );
    },
  );

  it.each(['', 'null', '{"secret":"AA=="}', '{"secrets":null}'])(
    'is erased if %j replaced an opening in the log, which then becomes empty',
    async (opening) => {
      const stored = storedWith(all);
      const damaged = stored.entries.map((entry) => (entry.place === 2 ? { ...entry, opening } : entry));
      const after = await erased({ ...stored, entries: damaged }, ['/title']);
      expect(after.entries[2]?.opening).toBe('{"secrets":[],"erased":{}}');
      expect(areBound(after)).toEqual(after.entries.map(({ place }) => place !== 2));
      expect(bodiesOf(after)).toEqual(expect.not.arrayContaining([expect.stringContaining('Назва')]));
    },
  );

  it('is erased again without a new state', async () => {
    const stored = storedWith(all);
    const erasing = new ErasedAsset(inPortions(stored, 3), ['/title'], time);
    await allOf(erasing.survey());
    const note = { reason: 'чому', at: 'тоді' };
    const current = erasing.inPlace(note);
    const { asset, ended } = current;
    expect([asset.version, asset.modifiedUs, ended]).toEqual([VERSIONS, stored.asset.modifiedUs, undefined]);
    const revisions = rowsWith(stored.revisions, await allOf(erasing.bodies(current, note)));
    expect(bodiesOf({ asset, revisions, entries: [] })).toEqual(all.map(() => expect.not.stringContaining('Назва')));
  });

  it('finds pointers that no state has, and other fields with the same text', async () => {
    const stored = storedWith(['{"title":"телефон 123","items":[{"note":"див. телефон 123"}]}']);
    const found = new ErasedAsset(inPortions(stored, 3), ['/title', '/nothing', '/items/*/nothing'], time);
    await allOf(found.survey());
    expect([found.count, found.unmatched]).toEqual([1, ['/nothing', '/items/*/nothing']]);
    expect(await found.elsewhere()).toEqual(['/items/*/note']);
  });

  it('finds the same text in capitals', async () => {
    const others = '"description":"ЗЕМЛЯ ЙОСИПА ЇЖАКА","items":[{"note":"Йосип"}]';
    const stored = storedWith([`{"title":"Йосипа Їжака",${others}}`]);
    const found = new ErasedAsset(inPortions(stored, 3), ['/title'], time);
    await allOf(found.survey());
    expect(await found.elsewhere()).toEqual(['/description']);
    expect([found.hasErasedText('на вимогу Йосипа ЇЖАКА'), found.hasErasedText('на вимогу Йосипа')]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    ['ΟΔΟΣ', 'ΟΔΟΣΑ 5'],
    ['Straße', 'HAUPTSTRASSE'],
    ['Straße', 'HAUPTSTRAẞE'],
  ])('finds %s in %s', async (title, other) => {
    const found = new ErasedAsset(inPortions(storedWith([JSON.stringify({ title, other })]), 3), ['/title'], time);
    await allOf(found.survey());
    expect([await found.elsewhere(), found.hasErasedText(`${other}, Київ`)]).toEqual([['/other'], true]);
  });

  it.each([1, VERSIONS])('has the same result in portions of %i', async (size) => {
    const stored = storedWith(all);
    const [one, other] = [await erased(stored, ['/title'], undefined, size), await erased(stored, ['/title'])];
    expect([one.asset, one.revisions]).toEqual([other.asset, other.revisions]);
  });
});
