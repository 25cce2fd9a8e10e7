import { describe, expect, it } from '@jest/globals';
import { ID } from '../../src/asset/identifiers.js';
import { printAsset } from '../../src/asset/asset-view.js';
import { secretDigest } from '../../src/auth/api-key.js';
import { readFields, printFields } from '../../src/asset-types/fields-json.js';
import { BasicAsset } from '../../src/asset-types/basic/basic.dto.js';
import { RegistryTime } from '../../src/time/registry-time.js';
import { Random } from '../../test/support/random.js';
import { DataSet, TIME_ZONE } from './data-set.js';

const SIZE = 100_000;
const dataSet = new DataSet(SIZE);
const sample = Array.from({ length: 500 }, (_, i) => dataSet.assetOf(i * 200 + (i % 20)));

describe('the data set', () => {
  it('is the same each time', () => {
    expect(new DataSet(10).assetOf(7)).toEqual(new DataSet(20).assetOf(7));
  });

  it('holds assets of about 1.5 KB, as answered', () => {
    const time = new RegistryTime(TIME_ZONE);
    const bytes = sample.reduce((sum, asset) => sum + Buffer.byteLength(printAsset(asset, time)), 0) / sample.length;
    expect(bytes).toBeGreaterThan(1_450);
    expect(bytes).toBeLessThan(1_600);
  });

  it('holds what a broker could have sent, as the registry prints it', () => {
    for (const { body } of sample) {
      const { fields, faults } = readFields(BasicAsset, JSON.parse(body) as Record<string, unknown>);
      expect(faults).toEqual([]);
      expect(printFields(BasicAsset, fields)).toBe(body);
    }
  });

  it('gives ids, assetIDs and instants that are unique, and instants that grow', () => {
    const all = Array.from({ length: SIZE }, (_, i) => i);
    expect(new Set(all.map((i) => dataSet.idOf(i))).size).toBe(SIZE);
    expect(new Set(sample.map(({ assetId }) => assetId)).size).toBe(sample.length);
    expect(sample.every(({ id }) => ID.test(id))).toBe(true);
    expect(sample.every(({ modifiedUs }, i) => modifiedUs > (sample[i - 1]?.modifiedUs ?? 0))).toBe(true);
    expect(dataSet.lastUs).toBe(dataSet.assetOf(SIZE - 1).modifiedUs);
  });

  it('numbers the assets of each day without a gap', () => {
    const days = dataSet.numbersByDay();
    expect(days.reduce((sum, [, count]) => sum + count, 0)).toBe(SIZE);
    const [[first, count]] = days as [[string, number]];
    expect(dataSet.assetOf(count - 1).assetId).toBe(`UA-${first}-${String(count).padStart(6, '0')}`);
    expect(dataSet.assetOf(count).assetId).toBe(`UA-${days[1]?.[0]}-000001`);
  });

  it('has assets of all states, drafts outside of the feed, and changes only what is pending with its own token', () => {
    expect(new Set(sample.map(({ status }) => status)).size).toBe(5);
    expect(sample.every(({ status, feedUs }) => (feedUs === null) === (status === 'draft'))).toBe(true);
    const random = new Random(1);
    const changed = Array.from({ length: 100 }, () => dataSet.pickChanged(random));
    expect(changed.every((number) => dataSet.assetOf(number).status === 'pending')).toBe(true);
    const left = dataSet.idsLeftAlone(1_000);
    expect(new Set(left).size).toBe(1_000);
    expect(changed.filter((number) => left.includes(dataSet.idOf(number)))).toEqual([]);
    const numbers = new Map(Array.from({ length: 5_000 }, (_, i) => [dataSet.idOf(i), i]));
    expect(new Set(left.map((id) => dataSet.assetOf(numbers.get(id) as number).status))).toEqual(new Set(['pending']));
    const [number] = changed as [number];
    expect(secretDigest(dataSet.ownerTokenOf(number))).toBe(dataSet.assetOf(number).tokenDigest);
  });
});
