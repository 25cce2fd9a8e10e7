import { beforeEach, describe, expect, it } from '@jest/globals';
import { EndOfFeed } from './end-of-feed.js';
import { ConnectionFailed, errorOf } from './errors.js';
import { Page } from './page.js';
import type { Wait } from './repeats.js';

const page = (size: number, backoff = ''): Page =>
  new Page({
    status: 200,
    headers: { 'feed-epoch': 'e', backoff },
    text: JSON.stringify({ next_page: { offset: 'a' }, data: Array(size).fill({ id: 'i', dateModified: 'd' }) }),
  });
const EMPTY = page(0, '300');
const OPTIONS = { offset: 'a', limit: 2, signal: undefined };
const refused = (status: number): Error => errorOf({ method: 'GET', path: '/', status }, '');
const broken = (code: string): Error => new ConnectionFailed('x', { cause: Object.assign(new Error('x'), { code }) });

describe('the end of the feed', () => {
  let ms: number;
  /** What was asked for, and the pauses before, in turn. */
  let done: unknown[];
  let end: EndOfFeed;

  const source = {
    heldPage: async (_: object, seconds: number): Promise<Page> => {
      done.push(`held ${seconds}`);
      return answer(seconds);
    },
    page: async (): Promise<Page> => (done.push('page'), page(1)),
    pause: async (wait: Wait): Promise<void> => {
      ms += wait.ms;
      done.push(wait.ms);
    },
    onWait: (): void => undefined,
  };
  /** How a request that is held ends. */
  let answer: (seconds: number) => Page;
  const after = (passedMs: number, ended: Page | Error) => () => {
    ms += passedMs;
    if (ended instanceof Error) throw ended;
    return ended;
  };
  const turns = async (count: number, ended: typeof answer): Promise<unknown[]> => {
    answer = ended;
    done = [];
    for (let turn = 0; turn < count; turn++) await end.pageAfter(EMPTY, OPTIONS);
    return done;
  };
  const heldToItsEnd = (seconds: number): Page => after(seconds * 1_000, EMPTY)();

  beforeEach(() => {
    ms = 0;
    end = new EndOfFeed(source, undefined, () => ms);
  });

  it('is waited at by requests that the registry holds, at most one a second', async () => {
    expect(end.isLive).toBeUndefined();
    expect(await turns(2, heldToItsEnd)).toEqual(['held 25', 'held 25']);
    expect(await turns(3, after(100, page(1)))).toEqual(['held 25', 900, 'held 25', 900, 'held 25']);
    expect(end.isLive).toBe(true);
  });

  it('is asked for more and more seldom, up to the pause of the registry, where it answers at once', async () => {
    const pauses = (await turns(12, after(0, EMPTY))).filter((one) => typeof one === 'number');
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1_000));
    expect(end.isLive).toBe(false);
    await turns(1, heldToItsEnd);
    expect([end.isLive, await turns(1, heldToItsEnd)]).toEqual([true, ['held 25']]);
  });

  it('is waited at by pauses alone where their length was given', async () => {
    end = new EndOfFeed(source, 9_000, () => ms);
    expect(await turns(1, heldToItsEnd)).toEqual([9_000, 'page']);
    expect(end.isLive).toBe(false);
  });

  it.each([
    ['the connection breaks', broken('UND_ERR_SOCKET')],
    ['a proxy answers 504', refused(504)],
    ['nobody listens', broken('ECONNREFUSED')],
    ['it is refused', refused(400)],
  ])('is asked for at once without the wait where %s, and waited at again within half a minute', async (_, error) => {
    const found = await turns(9, after(0, error));
    expect(found.slice(0, 5)).toEqual(['held 25', 'page', 2_000, 'held 25', 'page']);
    expect(found.slice(-3)).toEqual([32_000, 'held 25', 'page']);
    await turns(1, heldToItsEnd);
    expect(end.isLive).toBe(true);
  });

  it('is not live from the second request on that fails', async () => {
    await turns(1, after(10_000, broken('UND_ERR_SOCKET')));
    expect(end.isLive).toBe(true);
    await turns(1, after(10_000, broken('UND_ERR_SOCKET')));
    expect(end.isLive).toBe(false);
  });
});
