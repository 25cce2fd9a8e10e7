import { beforeEach, describe, expect, it } from '@jest/globals';
import { EndOfFeed, type HeldPage } from './end-of-feed.js';
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
const status = (code: number): Error => errorOf({ method: 'GET', path: '/', status: code }, '');
const broken = (code: string): Error => new ConnectionFailed('x', { cause: Object.assign(new Error('x'), { code }) });

describe('the end of the feed', () => {
  let ms: number;
  /** What was done, in turn. */
  let done: unknown[];
  let end: EndOfFeed;
  /** How long a request was held, and how it ended. */
  let answers: [number, Page | Error][];

  const heldPage = async (_: object, seconds: number): Promise<HeldPage> => {
    const [passed, answer] = answers.shift() ?? [seconds * 1_000, EMPTY];
    ms += passed;
    done.push(`held ${seconds}`);
    if (answer instanceof Error) throw answer;
    return { page: answer, isEnding: false };
  };
  const source = {
    heldPage,
    page: async (): Promise<Page> => (done.push('page'), page(1)),
    pause: async (wait: Wait): Promise<void> => {
      ms += wait.ms;
      done.push(wait);
    },
    onWait: (wait: Wait): void => void done.push(wait),
  };

  beforeEach(() => {
    [ms, done, answers] = [0, [], []];
    end = new EndOfFeed(source, undefined, () => ms);
  });

  it('is waited at by pauses as long as the registry says, where it answers at once', async () => {
    answers = [[5, EMPTY], [5, EMPTY], [5, page(0, '7')], [5, page(0)]]; // prettier-ignore
    let empty = EMPTY;
    for (let turns = 0; turns < 4; turns++) empty = await end.pageAfter(empty, OPTIONS);
    await end.pageAfter(empty, OPTIONS);
    const pauses = done.filter((one) => typeof one === 'object' && !('isLive' in (one as Wait)));
    expect(pauses).toEqual([300_000, 300_000, 7_000, 300_000].map((waitMs) => ({ reason: 'caught up', ms: waitMs })));
  });

  it('is waited at by pauses alone where their length was given', async () => {
    end = new EndOfFeed(source, 9_000, () => ms);
    await end.pageAfter(EMPTY, OPTIONS);
    expect(done).toEqual([{ reason: 'caught up', ms: 9_000 }, 'page']);
    expect(end.isLive).toBe(false);
  });

  it.each([
    ['the connection breaks', broken('UND_ERR_SOCKET'), 12],
    ['a proxy answers 504', status(504), 12],
    ['nobody listens', broken('ECONNREFUSED'), 25],
    ['it is refused', status(400), 25],
  ])('asks at once without the wait where %s, and then waits again', async (_, error, seconds) => {
    answers = [[10_000, error], [10_000, error]]; // prettier-ignore
    for (let turns = 0; turns < 3; turns++) await end.pageAfter(EMPTY, OPTIONS);
    const requests = done.filter((one) => typeof one === 'string');
    expect(requests).toEqual(['held 25', 'page', 'held 25', 'page', `held ${seconds}`]);
  });
});
