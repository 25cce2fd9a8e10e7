import { describe, expect, it } from '@jest/globals';
import type { RegistryClient } from 'asset-registry-client';
import { feedOf, readFilter } from './filter.js';

describe('a filter', () => {
  it('is written in one way, however it came', () => {
    expect(readFilter('?status=active&q=%D0%B7%D0%B5%D0%BC%D0%BB%D1%8F&status=pending')).toBe(
      readFilter('q=земля&status=pending&status=active'),
    );
  });

  it.each([
    ['', 'Give a query such as'],
    ['status=', 'Give a query such as'],
    ['status=active&sort=value', 'sort cannot select assets; q, status,'],
    ['modifiedFrom=2026-01-01', 'modifiedFrom cannot select assets'],
    ['owner=a&owner=b', 'owner can be given only once'],
  ])('is not %j', (text, reason) => expect(() => readFilter(text)).toThrow(reason));

  it('is asked for with the lists and the single words of the search', () => {
    const asked: unknown[] = [];
    const client = { filtered: (filter: unknown) => asked.push(filter) } as unknown as RegistryClient;
    feedOf(client, readFilter('status=active&custodian=1&custodian=2&q=a b'));
    expect(asked).toEqual([{ status: ['active'], custodian: ['1', '2'], q: 'a b' }]);
    expect(feedOf(client, null)).toBe(client);
  });
});
