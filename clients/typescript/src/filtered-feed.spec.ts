import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Sent } from './connection.js';
import type { EndOfFeed } from './end-of-feed.js';
import { EpochChanged } from './errors.js';
import { type FeedOptions, followPages } from './feed.js';
import { FilteredFeed } from './filtered-feed.js';
import type { Page } from './page.js';

/** Instants are numbers from 1 here, and the offset after one is `after 1`. */
describe('the filtered feed', () => {
  let entries: { id: string; dateModified: string }[];
  let epoch: string;
  let asked: Sent['query'][];
  let waited: string[];

  beforeEach(() => {
    entries = ['1', '2', '3', '4'].map((dateModified) => ({ id: `of ${dateModified}`, dateModified }));
    [epoch, asked, waited] = ['e', [], []];
  });

  const search = async (sent: Sent, parse: (reply: never) => Page): Promise<Page> => {
    asked.push(sent.query);
    const { modifiedFrom = '', offset = '', limit } = sent.query as Record<string, string>;
    const after = offset.replace('after ', '');
    const fitting = entries.filter((one) => one.dateModified >= modifiedFrom && one.dateModified > after);
    const data = fitting.slice(0, Number(limit));
    const next = data.length === 0 ? offset : `after ${data.at(-1)?.dateModified}`;
    const text = JSON.stringify({ data, next_page: { offset: next }, indexed_up_to: 'now' });
    return parse({ status: 200, headers: { 'feed-epoch': epoch }, text } as never);
  };
  /** One change arrives each time that the reader waits at the end. */
  const end = {
    pageAfter: async (_: Page, { offset }: { offset: string }) => {
      waited.push(offset);
      entries.push({ id: 'new', dateModified: String(entries.length + 1) });
    },
  } as unknown as EndOfFeed;
  const seen = async (options: FeedOptions, most: number): Promise<string[]> => {
    const instants: string[] = [];
    const source = new FilteredFeed(search, end, { region: ['Lviv'] });
    for await (const page of followPages(source, options)) {
      expect(page.texts()).toEqual(page.entries.map((entry) => JSON.stringify(entry)));
      instants.push(...page.entries.map(({ dateModified }) => dateModified));
      if (instants.length >= most) break;
    }
    return instants;
  };

  it('has the hits of the search in the order of the feed, and follows at its end', async () => {
    expect(await seen({ limit: 3, fields: '*', follow: true }, 6)).toEqual(['1', '2', '3', '4', '5', '6']);
    const query = { region: ['Lviv'], sort: 'dateModified', limit: '3', opt_fields: '*' };
    expect(asked.slice(0, 2)).toEqual([query, { ...query, offset: 'after 3' }]);
    expect(waited).toEqual(['now', 'now']);
  });

  it.each([1, 2, 5])('begins after the last yielded change, with pages of %s', async (limit) => {
    expect(await seen({ from: '2', limit }, 9)).toEqual(['3', '4']);
    expect(await seen({ from: '4', limit, follow: true }, 1)).toEqual(['5']);
  });

  it('ends before entries of another history', async () => {
    await expect(seen({ epoch: 'other' }, 1)).rejects.toThrow(EpochChanged);
  });
});
