import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FeedRange } from '../../database/readers/feed-reader.js';
import { unavailable } from '../../platform/errors/errors.js';
import { SettledWatermark } from '../../feed/watermarks.js';
import type { FeedPage } from '../../feed/reading/exact-feed.js';
import { logger } from '../../platform/logging/logger.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { ChangeTail } from './change-tail.js';
import type { EventPage } from './event-page.js';
import { choiceOf, type FieldChoice } from './field-choices.js';
import type { TailMember } from './change-broadcast.js';

const POLL_MS = 100;
const time = new RegistryTime('UTC');

/** A feed whose instants are 1, 2, 3, … */
class Feed {
  epoch = 'one';
  lastUs = 3;
  isAway = false;
  /** The ranges read, in order. */
  readonly reads: FeedRange[] = [];

  read<Printed>(range: FeedRange, print: (page: FeedPage) => Printed): Promise<Printed> {
    this.reads.push(range);
    if (this.isAway) return Promise.reject(unavailable('client_gone'));
    const all = Array.from({ length: this.lastUs }, (_, i) => ({
      id: String(i + 1),
      modifiedUs: i + 1,
      asset: undefined,
    }));
    const entries = range.newestFirst ? all.slice(-1) : all.filter(({ modifiedUs }) => modifiedUs > range.afterUs);
    return Promise.resolve(print({ epoch: this.epoch, limit: range.limit, entries }));
  }
}

class Member implements TailMember {
  readonly pages: EventPage[] = [];
  wakes = 0;
  readonly choice: FieldChoice | undefined;

  constructor(
    public us: number,
    fields: FieldChoice['fields'] | undefined,
    readonly epoch = 'one',
  ) {
    this.choice = fields && choiceOf(fields);
  }

  receive(page: EventPage): void {
    this.pages.push(page);
    this.us = page.lastUs;
  }

  wake(): void {
    this.wakes++;
  }
}

let feed: Feed;
let settled: SettledWatermark;
let tail: ChangeTail;
/** Pending timers. */
let timers: { ms: number; act: () => void }[];
const sent: number[] = [];
/** Callbacks of the next round of the event loop. */
let rounds: (() => void)[];

beforeEach(() => {
  logger.level = 'silent';
  feed = new Feed();
  settled = new SettledWatermark();
  [timers, rounds] = [[], []];
  const after = (ms: number, act: () => void): (() => void) => {
    const one = { ms, act };
    timers.push(one);
    return () => (timers = timers.filter((other) => other !== one));
  };
  const timing = {
    sleep: () => Promise.resolve(),
    immediate: () => Promise.resolve(rounds.splice(0).forEach((act) => act())),
    after,
  };
  const observer = { sent: (ms: number) => void sent.push(ms) };
  tail = new ChangeTail(feed, settled, { time, nowUs: () => 5_000, observer, timing });
});

/** Runs all pending callbacks. */
const calm = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const fireTimers = async (): Promise<void> => {
  for (const { act } of timers.splice(0)) act();
  await calm();
};
const change = async (): Promise<void> => {
  feed.lastUs++;
  settled.raise(feed.lastUs);
  await calm();
};

describe('the end of the feed', () => {
  it('is read at once after a commit of this process, and ten times a second for other processes’ commits', async () => {
    const member = new Member(3, []);
    tail.join(member);
    await calm();
    expect(timers).toMatchObject([{ ms: POLL_MS }]);
    await change();
    expect(member.us).toBe(4);
    feed.lastUs = 6;
    await fireTimers();
    expect(member.us).toBe(6);
    expect(sent.at(-1)).toBe((5_000 - 6) / 1_000);
  });

  it('wakes members that are behind it once it is known, and refuses followers behind it', async () => {
    const [behind, caughtUp] = [new Member(2, []), new Member(3, [])];
    expect([tail.join(behind), tail.join(caughtUp)]).toEqual([true, true]);
    await calm();
    expect([behind.wakes, caughtUp.wakes]).toEqual([1, 0]);
    expect([tail.join(behind), tail.join(new Member(99, []))]).toEqual([false, true]);
    await change();
    expect(behind.pages).toEqual([]);
  });

  it('refuses a follower that has not seen the page being sent', async () => {
    const [first, late] = [new Member(3, []), new Member(3, [])];
    first.receive = (page) => {
      first.us = page.lastUs;
      // Long enough for the loop to yield.
      const untilMs = performance.now() + 2;
      while (performance.now() < untilMs);
      rounds.push(() => (late.us = tail.join(late) ? 0 : -1));
    };
    tail.join(first);
    tail.join(new Member(3, []));
    await calm();
    await change();
    expect([late.us, late.pages]).toEqual([-1, []]);
  });

  it('wakes members of another epoch', async () => {
    const other = new Member(3, [], 'another');
    tail.join(other);
    await calm();
    expect(other.wakes).toBe(1);
    const one = new Member(3, []);
    tail.join(one);
    await calm();
    expect([tail.join(other), tail.join(new Member(3, []))]).toEqual([false, true]);
  });

  it('wakes a member to which sending failed, and continues with the others', async () => {
    const [bad, good] = [new Member(3, []), new Member(3, [])];
    bad.receive = () => {
      throw new Error('cannot be printed');
    };
    tail.join(bad);
    tail.join(good);
    await calm();
    await change();
    expect([bad.wakes, good.us]).toEqual([1, 4]);
  });

  it('is read with assets while a member needs them, even if members leave twice or join again', async () => {
    const [plain, whole] = [new Member(3, []), new Member(3, '*')];
    for (const member of [plain, whole, whole]) tail.join(member);
    await calm();
    await change();
    expect(feed.reads.at(-1)?.whole).toBe(true);
    for (let i = 0; i < 2; i++) tail.leave(whole);
    await change();
    await change();
    expect(feed.reads.at(-1)?.whole).toBe(false);
    whole.us = plain.us;
    tail.join(whole);
    await change();
    await change();
    expect(feed.reads.at(-1)?.whole).toBe(true);
  });
});
