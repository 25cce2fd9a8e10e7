import { describe, expect, it } from '@jest/globals';
import { type Actor, STANDARD_LIFECYCLE } from '../asset-types/lifecycle.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { refusedChange, stalenessOf, unknownType } from './refusals.js';

const description = (status: string, actor: Actor, lifecycle = STANDARD_LIFECYCLE): string | undefined =>
  refusedChange(lifecycle, status, actor).faults[0]?.description;

describe('a refused change', () => {
  it.each<[string, Actor, string]>([
    ['draft', 'owner', 'from here the owner may move it to pending'],
    ['pending', 'administrator', 'from here the administrator may move it to deleted or active'],
    ['active', 'owner', 'the owner may change nothing here'],
    ['complete', 'administrator', 'it is final'],
  ])('in %s to the %s: %s', (status, actor, help) => {
    expect(description(status, actor)).toBe(`Can't update asset in current (${status}) status: ${help}`);
  });

  it('says so if the actor may edit but has no move', () => {
    const { moves } = STANDARD_LIFECYCLE;
    const unmoved = { ...STANDARD_LIFECYCLE, moves: moves.filter(({ by }) => by !== 'owner') };
    expect(description('pending', 'owner', unmoved)).toMatch(/: the owner may not move it from here$/);
  });
});

describe('an older state of the asset', () => {
  const time = new RegistryTime('Europe/Kyiv');
  const [created, modified] = ['2026-10-25T03:30:00.000001+03:00', '2026-10-25T03:00:00.000002+02:00'];
  const [createdUs, modifiedUs] = [created, modified].map((text) => time.parse(text)) as [number, number];
  const asset = { id: 'a', assetId: 'UA-1', createdUs, modifiedUs };

  it.each([
    [{ dateModified: created }],
    [{ dateModified: '2026-10-25T03:00:00.000001+02:00', id: 'a', assetID: 'UA-1' }],
  ])('is recognised, and the refusal says when the asset has changed: %j', (patch) => {
    expect(stalenessOf(patch, asset, time)).toBe(`the asset has changed since it was read, at ${modified}`);
  });

  it.each([
    [{ dateModified: 'yesterday' }],
    [{ dateModified: modified }],
    [{ dateModified: '2026-10-25T03:30:00.000000+03:00' }],
    [{ dateModified: created, id: 'b' }],
    [{ dateModified: created, assetID: 'UA-2' }],
  ])('is not recognised in %j', (patch) => {
    expect(stalenessOf(patch, asset, time)).toBeUndefined();
  });
});

it('the refusal of an unknown type lists a bounded number of types', () => {
  const described = (names: string[]): string => unknownType(names.map((name) => ({ name }))).description;
  expect(described(['one', 'two'])).toBe('There is no such asset type: there are one and two');
  const many = Array.from({ length: 50 }, (_, i) => `type${i}`);
  expect(described(many)).toMatch(/: there are type0, .*, type19, and others$/);
});
