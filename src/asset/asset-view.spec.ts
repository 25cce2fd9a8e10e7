import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RegistryTime } from '../time/registry-time.js';
import { EncodedText } from '../text/encoded-text.js';
import { printAsset, printUncreated } from './asset-view.js';

const time = new RegistryTime('Europe/Kyiv');
const asset = {
  id: 'f'.repeat(32),
  assetId: 'UA-2017-07-14-000001',
  assetType: 'basic',
  owner: 'broker',
  tokenDigest: 'd',
  status: 'pending',
  relatedLot: null,
  body: '{"title":"x","value":{"amount":100.0}}',
  version: 2,
  createdUs: 1_500_000_000_000_001,
  modifiedUs: 1_500_000_001_000_002,
  feedUs: 1_500_000_001_000_002,
};
const OWN =
  '"id":"ffffffffffffffffffffffffffffffff","assetID":"UA-2017-07-14-000001","assetType":"basic","status":"pending"';
const DATES = '"date":"2017-07-14T05:40:00.000001+03:00","dateModified":"2017-07-14T05:40:01.000002+03:00"';

describe('the text of an asset', () => {
  it("has the registry's members around the body as it is kept", () => {
    expect(printAsset(asset, time)).toBe(`{${OWN},"title":"x","value":{"amount":100.0},"owner":"broker",${DATES}}`);
  });

  it('has the lot where there is one', () => {
    expect(printAsset({ ...asset, body: '{}', relatedLot: 'a'.repeat(32) }, time)).toBe(
      `{${OWN},"owner":"broker",${DATES},"relatedLot":"${'a'.repeat(32)}"}`,
    );
  });

  it('has nothing that only a creation gives while it was not created', () => {
    const start = '{"assetType":"basic","status":"pending",';
    const end = '"owner":"broker"}';
    expect(printUncreated(asset)).toBe(`${start}"title":"x","value":{"amount":100.0},${end}`);
    expect(printUncreated({ ...asset, body: '{}' })).toBe(start + end);
  });

  it('has the time of creation twice while nothing has changed', () => {
    const { date, dateModified } = JSON.parse(printAsset({ ...asset, modifiedUs: asset.createdUs }, time)) as {
      date: string;
      dateModified: string;
    };
    expect([date, dateModified]).toEqual([time.print(asset.createdUs), date]);
  });

  it('is the same whether the body is encoded or not', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (title) => {
        const body = JSON.stringify({ title });
        const encoded = printAsset({ ...asset, body: EncodedText.from(Buffer.from(body)) }, time);
        expect(encoded.toString()).toBe(printAsset({ ...asset, body }, time));
      }),
    );
  });
});
