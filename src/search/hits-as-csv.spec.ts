import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { AssetTypes } from '../asset-types/asset-types.js';
import * as installed from '../asset-types/installed.js';
import { AssetTable } from '../listing/csv/asset-table.js';
import type { Config } from '../platform/config/config.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { IndexHit } from '../database/search/index-answers.js';
import type { Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import { Origins } from '../http/origins.js';
import { Query } from '../http/request-target.js';
import type { RateLimits } from '../http/limits/rate-limits.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import type { AssetSearch } from './asset-search.js';
import { CsvQueryPipe, type CsvQuery } from './csv-query.pipe.js';
import { MAX_ROWS } from './file-query.js';
import type { FoundAsset, FoundAssets } from './found-assets.js';
import { HitsAsCsv } from './hits-as-csv.js';
import { HitsAsFile } from './hits-as-file.js';
import { SearchQueryPipe } from './search-query.pipe.js';

const time = new RegistryTime('Europe/Kyiv');
const limits = { clientOf: ({ from }: { from: string }) => from } as unknown as RateLimits;
const origins = new Origins({ publicUrl: 'https://registry.example', trustProxy: [] } as unknown as Config);
const types = new AssetTypes(Object.values(installed));
const pipe = new CsvQueryPipe(new SearchQueryPipe(types, time));
const FIRST_US = 1_795_440_264_030_682;

const sentOf = (...parameters: [string, string][]): CsvQuery =>
  pipe.transform(new Query(parameters.map(([name, value]) => ({ name, value, wellFormed: true }))));

const idOf = (number: number): string => number.toString(16).padStart(32, '0');

function foundOf(hit: IndexHit): FoundAsset {
  const { id, modifiedUs } = hit;
  const body = EncodedText.from(Buffer.from(`{"title":"Назва ${Number.parseInt(id, 16)}"}`));
  const more = { assetId: 'UA-1', assetType: 'basic', status: 'pending', owner: 'broker', relatedLot: null };
  const asset: ReadAsset = { id, modifiedUs, createdUs: FIRST_US, body, ...more };
  return { hit, asset };
}

describe('the hits of a search as CSV', () => {
  const find = jest.fn<AssetSearch['find']>();
  const read = jest.fn<FoundAssets['read']>();
  const chargeWork = jest.fn<Caller['chargeWork']>();
  let csv: HitsAsCsv;

  /** @param count of all hits */
  const has = (count: number): void => {
    find.mockImplementation((_query, { limit }) => {
      const hits = Array.from({ length: Math.min(count, limit) }, (_, i) => ({
        id: idOf(i),
        modifiedUs: FIRST_US + i,
      }));
      const isTotalExact = true;
      return Promise.resolve({
        hits,
        total: count,
        isTotalExact,
        exactTotal: count,
        facets: undefined,
        isComplete: true,
        epoch: '',
        indexedUs: FIRST_US,
        fromUs: -1,
      });
    });
  };
  const filesOf = (ofTypes: AssetTypes, inZone: RegistryTime): HitsAsCsv => {
    const [search, found] = [{ find } as unknown as AssetSearch, { read } as unknown as FoundAssets];
    return new HitsAsCsv(new HitsAsFile(search, found, inZone, origins, limits), new AssetTable(ofTypes, inZone));
  };
  const answer = (sent: CsvQuery, from = 'here') => {
    const request = { url: '/api/0.1/assets/search.csv?q=%D0%BA&limit=5', headers: {}, from };
    return csv.answer(sent, { chargeWork } as unknown as Caller, request as unknown as RegistryRequest);
  };
  const titles = async (sent: CsvQuery): Promise<string[]> => {
    const rows = parse(await text((await answer(sent)).stream), { columns: true, bom: true }) as unknown;
    return (rows as { title: string }[]).map(({ title }) => title);
  };
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `Назва ${i}`);

  beforeEach(() => {
    jest.resetAllMocks();
    read.mockImplementation((hits) => Promise.resolve(hits.map(foundOf)));
    csv = filesOf(types, time);
    has(60);
  });

  it('have another ETag in another time zone, and with the columns of other types', async () => {
    const tags = new Set<unknown>();
    for (const ofTypes of [types, new AssetTypes([installed.basic])])
      for (const inZone of [time, new RegistryTime('UTC')]) {
        csv = filesOf(ofTypes, inZone);
        tags.add((await answer(sentOf())).headers['ETag']);
      }
    expect(tags.size).toBe(4);
  });

  it('charge the reader for each row', async () => {
    await answer(sentOf());
    expect(chargeWork.mock.calls).toEqual([[60 * 500]]);
  });

  it('link to the rest if there is more', async () => {
    const path = '/api/0.1/assets/search.csv?q=%D0%BA&limit=5';
    expect((await answer(sentOf(['limit', '5']))).headers).toMatchObject({
      Truncated: 'true',
      Link: `<https://registry.example${path}&offset=${FIRST_US + 4}>; rel="next"`,
    });
    expect((await answer(sentOf())).headers).not.toHaveProperty('Link');
  });

  it('are at most 100,000, whatever the limit', () => {
    for (const limit of ['', '100001', '9'.repeat(400)]) expect(sentOf(['limit', limit]).page.limit).toBe(MAX_ROWS);
    expect(() => sentOf(['limit', '1e5'])).toThrow();
    expect(MAX_ROWS).toBe(100_000);
  });

  it('go on after a read that returned only some of the assets, large ones or those without history', async () => {
    let isLarge = true;
    read.mockImplementation((hits) => {
      const there = hits.filter(({ id }) => id !== idOf(7) && id !== idOf(59)).map(foundOf);
      isLarge = !isLarge;
      return Promise.resolve(isLarge ? there.slice(0, 1) : there);
    });
    expect(await titles(sentOf())).toEqual(names(59).filter((name) => name !== 'Назва 7'));
    read.mockResolvedValue([]);
    expect(await titles(sentOf())).toEqual([]);
  });

  it('let other requests run while they are printed', async () => {
    has(1_000);
    let [ticks, isDone] = [0, false];
    const all = titles(sentOf()).finally(() => (isDone = true));
    while (!isDone) {
      await setImmediate();
      ticks++;
    }
    expect([(await all).length, ticks > 1_000 / 25]).toEqual([1_000, true]);
  });

  it('begin with a byte order mark on request', async () => {
    const firstOf = async (...query: [string, string][]) =>
      (await text((await answer(sentOf(...query))).stream)).slice(0, 3);
    // A stream's decoder would remove the mark.
    for await (const chunk of (await answer(sentOf(['bom', '1']))).stream) {
      expect((chunk as Buffer).subarray(0, 5).toString('hex')).toBe('efbbbf6964');
      break;
    }
    for (const bom of ['', '0', 'false']) expect(await firstOf(['bom', bom])).toBe('id,');
    expect(() => sentOf(['bom', '1'], ['bom', '1'])).toThrow();
  });

  it('are not read faster than the client reads, nor after it has disconnected', async () => {
    has(100_000);
    const { stream } = await answer(sentOf());
    await once(stream, 'readable');
    while (stream.readableLength < stream.readableHighWaterMark) await setImmediate();
    const before = read.mock.calls.length;
    expect(before).toBeLessThan(50);
    stream.destroy();
    await once(stream, 'close');
    expect(read.mock.calls.length).toBeLessThanOrEqual(before + 1);
  });

  it('are refused while the database is down, and free their slot', async () => {
    read.mockRejectedValue(new Error('gone'));
    for (let i = 0; i < 30; i++) await expect(answer(sentOf())).rejects.toThrow('gone');
  });

  it('are cut off and free their slot if the database goes down later', async () => {
    for (let i = 0; i < 30; i++) {
      const { stream } = await answer(sentOf());
      read.mockRejectedValueOnce(new Error('gone'));
      await expect(text(stream)).rejects.toThrow('gone');
    }
  });

  it('are sent to another address by evicting one that has all slots', async () => {
    has(60);
    const slow = [];
    for (let i = 0; i < 20; i++) slow.push((await answer(sentOf(), 'slow')).stream);
    await expect(answer(sentOf(), 'slow')).rejects.toMatchObject({ status: 503 });
    expect(await text((await answer(sentOf(), 'other')).stream)).toContain('Назва 59');
    expect(slow.map(({ destroyed }) => destroyed)).toEqual([true, ...Array<boolean>(19).fill(false)]);
    for (const stream of slow) stream.destroy();
  });
});
