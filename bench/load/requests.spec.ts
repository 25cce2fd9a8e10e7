import { describe, expect, it } from '@jest/globals';
import { DataSet } from '../data-set/data-set.js';
import { type RequestKind, requestsOf } from './requests.js';

const dataSet = new DataSet(10_000);

function some(kind: RequestKind, count = 200, seed = 1): string[] {
  const next = requestsOf(kind, dataSet, seed);
  return Array.from({ length: count }, () => next());
}

/** The place in the feed after which a page is asked for. */
function placesOf(kind: RequestKind): number[] {
  const offsets = some(kind).map((request) =>
    new URL(request.split(' ')[1] as string, 'http://x').searchParams.get('offset'),
  );
  const instant = (text: string | null): number => Date.parse(text ?? '') * 1_000;
  return offsets.map((offset) =>
    Math.round((instant(offset) - dataSet.instantOf(0)) / (dataSet.instantOf(1) - dataSet.instantOf(0))),
  );
}

describe('the requests', () => {
  it('are the same for the same seed', () => {
    expect(some('read')).toEqual(some('read'));
    expect(some('read')).not.toEqual(some('read', 200, 2));
  });

  it('read all over the data set', () => {
    const ids = new Set(Array.from({ length: 10_000 }, (_, i) => dataSet.idOf(i)));
    const read = some('read').map((request) => /\/assets\/(\w+) HTTP/.exec(request)?.[1] as string);
    expect(read.every((id) => ids.has(id))).toBe(true);
    expect(new Set(read).size).toBeGreaterThan(150);
  });

  it.each([
    ['start', 0, 100],
    ['middle', 4_800, 5_100],
    ['end', 9_600, 9_900],
  ] as const)('ask for pages at the %s of the feed, not all for the same', (kind, least, most) => {
    const places = placesOf(kind);
    expect(Math.min(...places)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...places)).toBeLessThanOrEqual(most);
    expect(new Set(places).size).toBeGreaterThan(50);
  });

  it('ask for the same page where that is the point', () => {
    expect(new Set(some('same page')).size).toBe(1);
  });

  it('open pages of assets that are listed', () => {
    const listed = new Set(
      Array.from({ length: 10_000 }, (_, i) => dataSet.assetOf(i))
        .filter(({ status }) => status !== 'draft')
        .map(({ assetId }) => assetId),
    );
    const opened = some('asset page').map((request) => /\/assets\/(\S+) HTTP/.exec(request)?.[1] as string);
    expect(opened.filter((assetId) => !listed.has(assetId))).toEqual([]);
    expect(new Set(opened).size).toBeGreaterThan(150);
  });

  it('search for asset IDs, codes, words and conditions', () => {
    const queries = some('search page').map(
      (request) => new URL(request.split(' ')[1] as string, 'http://x').searchParams,
    );
    for (const form of [/^UA-\d{4}-\d\d-\d\d-\d{6}$/, /^\d{8}$/, /^[а-яєіїґ ]+$/])
      expect(queries.filter((query) => form.test(query.get('q') ?? '')).length).toBeGreaterThan(10);
    expect(queries.filter((query) => query.has('region')).length).toBeGreaterThan(10);
  });

  it('change to a title that no asset has had, also from other connections', () => {
    const titles = [...some('change'), ...some('change')].map((request) => /"title":"[^"]*"/.exec(request)?.[0]);
    expect(new Set(titles).size).toBe(400);
  });

  it('tell the length of their bodies in bytes', () => {
    for (const request of [...some('create', 20), ...some('change', 20)]) {
      const [head, body] = request.split('\r\n\r\n') as [string, string];
      expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
    }
  });

  it('are nine reads in ten on a normal day, and as many listings as writes', () => {
    const mixed = some('mix', 10_000);
    const share = (pattern: RegExp): number => mixed.filter((request) => pattern.test(request)).length / mixed.length;
    expect(share(/^GET \S+\/assets\/\w+ /)).toBeCloseTo(0.9, 1);
    expect(share(/^GET \S+\?limit=100&/)).toBeCloseTo(0.05, 1);
    expect(share(/^POST /)).toBeCloseTo(0.025, 2);
    expect(share(/^PATCH /)).toBeCloseTo(0.025, 2);
  });
});
