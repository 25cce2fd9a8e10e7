import { describe, expect, it } from '@jest/globals';
import { type Change, Changes } from './changes.js';
import { Page } from './page.js';

function pageOf(...instants: string[]): Page {
  const data = instants.map((dateModified) => ({ id: `id ${dateModified}`, dateModified }));
  const text = JSON.stringify({ next_page: { offset: instants.at(-1) ?? '' }, data });
  return new Page({ status: 200, headers: { 'feed-epoch': 'e' }, text });
}

async function* pagesAfter(offset: string): AsyncGenerator<Page> {
  for (const instants of [['1', '2'], ['3'], ['4', '5']])
    yield pageOf(...instants.filter((instant) => instant > offset));
}

async function all(changes: Changes): Promise<Change[]> {
  const seen: Change[] = [];
  for await (const change of changes) seen.push(change);
  return seen;
}

const instants = (changes: Change[]): string[] => changes.map(({ dateModified }) => dateModified);

describe('the changes of the feed', () => {
  it('have the asset if whole ones were requested', async () => {
    const [first] = await all(new Changes('4', true, pagesAfter, undefined));
    expect(first?.asset).toBe(first?.entry);
  });

  it('are acknowledged up to the first one that is not', async () => {
    const changes = new Changes('0', false, pagesAfter, undefined);
    const [one, two, three, four, five] = (await all(changes)) as [Change, Change, Change, Change, Change];
    const places = [three, one, one, five, two, four].map((change) => {
      change.ack();
      return changes.acknowledged;
    });
    expect(places).toEqual(['0', '1', '1', '1', '3', '5']);
  });

  it('that follow acknowledged ones wait for their own acknowledgement', async () => {
    const changes = new Changes('', false, pagesAfter, undefined);
    const places: string[] = [];
    let before: Change | undefined;
    for await (const change of changes) {
      before?.ack();
      before = change;
      places.push(changes.acknowledged);
    }
    expect(places).toEqual(['', '1', '2', '3', '4']);
  });

  it('begin again after what is acknowledged', async () => {
    const changes = new Changes('', false, pagesAfter, undefined);
    for await (const change of changes) {
      if (change.dateModified === '4') break;
      change.ack();
    }
    expect(instants(await all(changes))).toEqual(['4', '5']);
  });

  it('are not yielded after the signal, even if they have arrived', async () => {
    const [given, reason] = [new AbortController(), new Error('enough')];
    const changes = new Changes('', false, pagesAfter, given.signal)[Symbol.asyncIterator]();
    await changes.next();
    given.abort(reason);
    await expect(changes.next()).rejects.toBe(reason);
  });

  it('of an earlier loop move nothing', async () => {
    const changes = new Changes('', false, pagesAfter, undefined);
    const [first] = await all(changes);
    const [again, second] = await all(changes);
    first?.ack();
    expect(changes.acknowledged).toBe('');
    second?.ack();
    again?.ack();
    expect(changes.acknowledged).toBe('2');
  });
});
