import { describe, expect, it } from '@jest/globals';
import { RowReader } from './asset-row.js';

const TEXT =
  '{"id":"a1","assetID":"UA-1","assetType":"basic","status":"pending","title":"T","value":{"amount":100.0,"id":"x"},"owner":"broker","dateModified":"1970-01-01T02:00:00.000001+02:00"}';

describe('RowReader', () => {
  it('keeps some fields, whole, in the order in which they were asked for', () => {
    const reader = new RowReader({ fields: ['value', 'title', 'nothing'], types: null });
    expect(reader.read(TEXT).document).toBe(
      '{"id":"a1","dateModified":"1970-01-01T02:00:00.000001+02:00","value":{"amount":100,"id":"x"},"title":"T"}',
    );
    expect(reader.fields).toEqual([
      'assetID',
      'assetType',
      'status',
      'relatedLot',
      'owner',
      'value',
      'title',
      'nothing',
    ]);
  });

  it.each(['{}', TEXT.replace('"a1"', '1'), TEXT.replace('1970', 'never')])('refuses %s', (text) => {
    expect(() => new RowReader({ fields: null, types: null }).read(text)).toThrow(
      'The registry sent data that is not an asset',
    );
  });
});
