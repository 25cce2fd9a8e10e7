import { beforeEach, describe, expect, it } from '@jest/globals';
import { EndOfFeed } from './end-of-feed.js';
import { ConnectionFailed, errorOf } from './errors.js';
import { Page } from './page.js';
import type { Wait } from './retry-policy.js';

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
  /** Recorded requests and pauses, in order. */
  let done: unknown[];
  let end: EndOfFeed;

  const source = {
    longPoll: async (_: object, seconds: number): Promise<Page> => {
      done.push(`long poll ${seconds}`);
      return answer(seconds);
    },
    page: async (): Promise<Page> => (done.push('page'), page(1)),
    pause: async (wait: Wait): Promise<void> => {
      ms += wait.ms;
      done.push(wait.ms);
    },
    onWait: (): void => undefined,
  };
  /** The result of a long poll. */
  let answer: (seconds: number) => Page;
  const after = (passedMs: number, ended: Page | Error) => () => {
    ms += passedMs;
    if (ended instanceof Error) throw ended;
    return ended;
  };
  const waitRepeatedly = async (count: number, ended: typeof answer): Promise<unknown[]> => {
    answer = ended;
    done = [];
    for (let turn = 0; turn < count; turn++) await end.pageAfter(EMPTY, OPTIONS);
    return done;
  };
  const fullLongPoll = (seconds: number): Page => after(seconds * 1_000, EMPTY)();

  beforeEach(() => {
    ms = 0;
    end = new EndOfFeed(source, undefined, () => ms);
  });

  it('is awaited by long polls, at most one per second', async () => {
    expect(end.isLive).toBeUndefined();
    expect(await waitRepeatedly(2, fullLongPoll)).toEqual(['long poll 25', 'long poll 25']);
    expect(await waitRepeatedly(3, after(100, page(1)))).toEqual([
      'long poll 25',
      900,
      'long poll 25',
      900,
      'long poll 25',
    ]);
    expect(end.isLive).toBe(true);
  });

  it('is polled less and less often, up to the registry’s pause, if long polls return at once', async () => {
    const pauses = (await waitRepeatedly(12, after(0, EMPTY))).filter((one) => typeof one === 'number');
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => seconds * 1_000));
    expect(end.isLive).toBe(false);
    await waitRepeatedly(1, fullLongPoll);
    expect([end.isLive, await waitRepeatedly(1, fullLongPoll)]).toEqual([true, ['long poll 25']]);
  });

  it('is awaited by pauses if their length is given', async () => {
    end = new EndOfFeed(source, 9_000, () => ms);
    expect(await waitRepeatedly(1, fullLongPoll)).toEqual([9_000, 'page']);
    expect(end.isLive).toBe(false);
  });

  it.each([
    ['the connection breaks', broken('UND_ERR_SOCKET')],
    ['a proxy answers 504', refused(504)],
    ['no server listens', broken('ECONNREFUSED')],
    ['it is refused', refused(400)],
  ])('is polled at once if %s, and awaited by long polls again within half a minute', async (_, error) => {
    const found = await waitRepeatedly(9, after(0, error));
    expect(found.slice(0, 5)).toEqual(['long poll 25', 'page', 2_000, 'long poll 25', 'page']);
    expect(found.slice(-3)).toEqual([32_000, 'long poll 25', 'page']);
    await waitRepeatedly(1, fullLongPoll);
    expect(end.isLive).toBe(true);
  });

  it('is not live after two consecutive failures', async () => {
    await waitRepeatedly(1, after(10_000, broken('UND_ERR_SOCKET')));
    expect(end.isLive).toBe(true);
    await waitRepeatedly(1, after(10_000, broken('UND_ERR_SOCKET')));
    expect(end.isLive).toBe(false);
  });
});
