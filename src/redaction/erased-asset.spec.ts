import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { printAsset } from '../asset/asset-view.js';
import { isBound } from '../../clients/typescript/src/log/commitment.js';
import { commitmentOf, type Opening } from '../commitments/commitment.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { KeptRevision, KeptStates } from '../database/redaction.js';
import { checksumOf, isWhole, keptBody, restoredBody } from '../database/kept-body.js';
import { RegistryTime } from '../time/registry-time.js';
import { ErasedAsset } from './erased-asset.js';

const time = new RegistryTime('Europe/Kyiv');
const ID = 'a'.repeat(32);
const FIRST_US = 1_700_000_000_000_000;
const VERSIONS = 20;

type Printed = Record<string, unknown>;

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
  const revisions = bodies.slice(0, -1).map((body, i): KeptRevision => {
    const kept = keptBody(body, bodies[i + 1] as string, i + 1);
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

/** What is kept once it is erased, as the database would give it back. */
function erased(kept: KeptStates, pointers: string[], us = FIRST_US + 1_000): KeptStates {
  const { asset, bodies, openings, ended } = new ErasedAsset(kept, pointers, time).changed(us, {
    reason: 'чому',
    at: time.print(us),
  });
  const rows = kept.revisions.map((row) => {
    const next = bodies.get(row.untilUs);
    return next === undefined ? row : { ...row, ...next, body: Buffer.from(next.body) };
  });
  const revisions = ended === undefined ? rows : [{ ...ended, body: Buffer.from(ended.body) }, ...rows];
  const entries = kept.entries.map((entry) => ({ ...entry, opening: openings.get(entry.place) ?? entry.opening }));
  return { asset, revisions, entries };
}

/** Bodies of all states, the oldest first; undefined where one does not match its checksum. */
function bodiesOf({ asset, revisions }: KeptStates): (string | undefined)[] {
  let after: Buffer = Buffer.from(asset.body);
  const bodies: (string | undefined)[] = [asset.body];
  for (const row of revisions) {
    after = isWhole(row) ? row.body : restoredBody(row, after);
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
  it('has them in no state, and all else as it was, byte for byte', () => {
    const bodies = bodiesOf(erased(keptOf(all), ['/a~1b/secret']));
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
  ])('leaves each entry of the log bound to its state: %s', (_, orders) => {
    let kept = keptOf(all);
    for (const [i, pointers] of orders.entries()) kept = erased(kept, pointers, FIRST_US + 1_000 + i);
    expect(areBound(kept)).toEqual(all.map(() => true));
    expect(JSON.stringify(kept.entries)).not.toContain('secret"');
  });

  it('is bound to no other state', () => {
    const { asset, entries, revisions } = erased(keptOf(all), ['/title']);
    const others = entries.map((entry, i) => ({ ...entry, opening: entries.at(i - 1)?.opening ?? '' }));
    expect(areBound({ asset, revisions, entries: others })).toEqual(all.map(() => false));
  });

  it('leaves states and entries alone that never had the field', () => {
    const kept = keptOf(['{"title":"перша"}', '{"title":"друга","description":"зайве"}', '{"title":"третя"}']);
    const after = erased(kept, ['/description']);
    const bodies = bodiesOf(after);
    expect([bodies[0], bodies[2]]).toEqual(['{"title":"перша"}', '{"title":"третя"}']);
    expect(JSON.parse(bodies[1] as string)).toEqual({ title: 'друга', redacted: [expect.anything()] });
    expect(JSON.parse(after.asset.body)).toEqual({ title: 'третя', redacted: [expect.anything()] });
    expect(after.entries.map(({ opening }) => opening.includes('"secret":'))).toEqual([true, false, true]);
  });

  it('says in the current state which fields earlier ones had, each by its place', () => {
    const item = (name: string): string => `{"items":[{"note":"a"},{"note":"b","${name}":"x"}]}`;
    const { asset } = erased(keptOf([item('secret'), item('other'), '{"items":[]}']), [
      '/items/*/secret',
      '/items/*/other',
    ]);
    const { redacted } = JSON.parse(asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer).toSorted()).toEqual(['/items/1/other', '/items/1/secret']);
  });

  it('says in the current state both what it had itself and what only earlier ones had', () => {
    const kept = keptOf(['{"title":"a","description":"b"}', '{"title":"a"}']);
    const { asset } = erased(kept, ['/title', '/description']);
    const { redacted } = JSON.parse(asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer)).toEqual(['/title', '/description']);
  });

  it('adds to what was erased before', () => {
    const kept = erased(erased(keptOf(all), ['/title']), ['/value'], FIRST_US + 2_000);
    const { redacted } = JSON.parse(kept.asset.body) as { redacted: { pointer: string }[] };
    expect(redacted.map(({ pointer }) => pointer)).toEqual(['/title', '/value']);
    expect(bodiesOf(kept)).not.toContain(undefined);
  });

  it('empties states that cannot be read, and reads those before a gap', () => {
    const kept = keptOf(all);
    // Version 12 was changed by hand, and version 5 was never kept: those before it hang on it up to one that is whole.
    const broken = kept.revisions.map((row) => (row.version === 12 ? { ...row, body: Buffer.from('таємне') } : row));
    const after = erased({ ...kept, revisions: broken.filter(({ version }) => version !== 5) }, ['/a~1b']);
    expect(Buffer.concat(after.revisions.map(({ body }) => body)).toString()).not.toContain('таємне 1');
    const emptied = after.revisions.filter(({ checksum, body }) => checksum === -1 && body.length === 0);
    expect(emptied.map(({ version }) => version)).toEqual([12, 4, 3, 2, 1]);
    expect(bodiesOf(after).filter((body) => body !== undefined)).toHaveLength(VERSIONS - 5);
  });

  it('is erased again in place, without a new state', () => {
    const kept = keptOf(all);
    const { asset, ended, bodies } = new ErasedAsset(kept, ['/title'], time).inPlace({ reason: 'чому', at: 'тоді' });
    expect([asset.version, asset.modifiedUs, ended]).toEqual([VERSIONS, kept.asset.modifiedUs, undefined]);
    const revisions = kept.revisions.map((row) => {
      const next = bodies.get(row.untilUs) as { body: string; sameStart: number; sameEnd: number; checksum: number };
      return { ...row, ...next, body: Buffer.from(next.body) };
    });
    expect(bodiesOf({ asset, revisions, entries: [] })).toEqual(all.map(() => expect.not.stringContaining('Назва')));
  });

  it('tells which pointers meet nothing, and where the same text still stands', () => {
    const kept = keptOf(['{"title":"телефон 123","items":[{"note":"див. телефон 123"}]}']);
    const found = new ErasedAsset(kept, ['/title', '/nothing', '/items/*/nothing'], time);
    expect([found.count, found.unmet]).toEqual([1, ['/nothing', '/items/*/nothing']]);
    expect(found.elsewhere()).toEqual(['/items/*/note']);
  });
});
