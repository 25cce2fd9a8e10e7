import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Entry } from '../asset-row.js';
import type { Copy, Range } from '../copies/copy.js';
import { printUs } from '../instants.js';
import { narrow } from './narrow.js';
import { Sum } from './sum.js';

const SIZE = 25_000;
const WHOLE: Range = { afterUs: Number.MIN_SAFE_INTEGER, upToUs: SIZE };

const entry = (feedUs: number): Entry => {
  const dateModified = printUs(feedUs).replace('Z', '+00:00');
  return { id: createHash('md5').update(String(feedUs)).digest('hex'), dateModified, feedUs };
};

/** A copy with only the methods that `narrow` uses. */
function copyOf(entries: readonly Entry[]): Copy {
  const within = ({ afterUs, upToUs }: Range): Entry[] =>
    entries.filter(({ feedUs }) => feedUs > afterUs && feedUs <= upToUs);
  return {
    entries: async function* (range: Range) {
      yield within(range);
    },
    feedUsAt: async (range: Range, number: number) => within(range)[number]?.feedUs,
  } as Partial<Copy> as Copy;
}

const all = Array.from({ length: SIZE }, (_, i) => entry(i + 1));

/** The ranges found in a copy, and the number of requests. */
async function found(entries: readonly Entry[]): Promise<{ ranges: Range[]; requests: number }> {
  let requests = 0;
  const registry = copyOf(all);
  const ranges = await narrow(copyOf(entries), WHOLE, (range) => {
    requests++;
    return Sum.of(registry, range);
  });
  return { ranges, requests };
}

describe('narrow', () => {
  it('finds one row among 25,000 with a request for each halving', async () => {
    const { ranges, requests } = await found(all.filter(({ feedUs }) => feedUs !== 17_777));
    expect(requests).toBe(1 + 5);
    expect(ranges).toHaveLength(1);
    const [{ afterUs, upToUs }] = ranges as [Range];
    expect(afterUs < 17_777 && 17_777 <= upToUs && upToUs - afterUs < 1_001).toBe(true);
  });

  it('finds a row whose place is not that of its instant, though the texts are the same', async () => {
    const { ranges } = await found(all.map((each) => (each.feedUs === 500 ? { ...each, feedUs: 500.5 } : each)));
    expect(ranges).toHaveLength(1);
  });

  it('takes an empty copy as one range', async () => {
    expect(await found([])).toEqual({ ranges: [WHOLE], requests: 1 });
  });
});
