import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { entityTag, printAsset, printUncreated, redactedText, withRedacted } from './asset-view.js';

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
  it("has the registry's members around the stored body", () => {
    expect(printAsset(asset, time)).toBe(`{${OWN},"title":"x","value":{"amount":100.0},"owner":"broker",${DATES}}`);
  });

  it('has no id, assetID and dates before the asset is created', () => {
    const start = '{"assetType":"basic","status":"pending",';
    const end = '"owner":"broker"}';
    expect(printUncreated(asset)).toBe(`${start}"title":"x","value":{"amount":100.0},${end}`);
    expect(printUncreated({ ...asset, body: '{}' })).toBe(start + end);
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

describe('the ETag of an asset', () => {
  it.each(['date', 'dateModified'])('changes if the time zone gives %s another UTC offset', (name) => {
    // Moscow is an hour ahead of Kyiv in winter only.
    const [summer, winter] = [asset.createdUs, asset.createdUs + 180 * 86_400_000_000];
    const dates = name === 'date' ? { createdUs: winter - 365 * 86_400_000_000, modifiedUs: summer } : { createdUs: summer, modifiedUs: winter }; // prettier-ignore
    const tags = ['Europe/Kyiv', 'Europe/Moscow', 'Asia/Istanbul'].map((zone) => entityTag({ ...asset, ...dates }, new RegistryTime(zone))); // prettier-ignore
    expect(tags[0]).not.toBe(tags[1]);
    expect(tags[1]).toBe(tags[2]);
  });
});

describe('the erasures of a body', () => {
  const erasure = { pointer: '/title', reason: 'чому "так"', at: '2026-11-23T20:00:00.000001+02:00' };

  it('are listed in its last member', () => {
    expect(withRedacted('{"a":1}', [])).toBe('{"a":1}');
    expect(JSON.parse(withRedacted('{"a":1}', [erasure]))).toEqual({ a: 1, redacted: [erasure] });
    expect(withRedacted('{}', [erasure])).toBe(`{"redacted":${JSON.stringify([erasure])}}`);
  });

  it('are found in its text, and similar text is not', () => {
    expect(redactedText(withRedacted('{"a":1}', [erasure]))).toBe(`"redacted":${JSON.stringify([erasure])}}`);
    for (const body of ['{}', '{"a":[{"b":"c"}]}', JSON.stringify({ a: [{ b: '"redacted":[{"pointer":"x"}]}' }] })])
      expect(redactedText(body)).toBe('');
  });

  it('change the ETag, whether the body is encoded or not', () => {
    const tagOf = (body: string | EncodedText): string => entityTag({ createdUs: 1, modifiedUs: 1, body }, time);
    const erased = withRedacted('{"a":1}', [erasure]);
    expect(new Set([tagOf('{"a":1}'), tagOf(erased), tagOf(withRedacted('{"a":1}', [erasure, erasure]))]).size).toBe(3);
    expect(tagOf(EncodedText.from(Buffer.from(erased)))).toBe(tagOf(erased));
  });
});
