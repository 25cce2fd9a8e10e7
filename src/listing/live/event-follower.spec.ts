import { beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '../../platform/errors/errors.js';
import { logger } from '../../platform/logging/logger.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { EventFollower } from './event-follower.js';
import { EventPage } from './event-page.js';
import { choiceOf } from './field-choices.js';

const time = new RegistryTime('UTC');
const choice = choiceOf([]);

/** A page of entries after `us`, up to `lastUs`. */
function pageOf(us: number, lastUs: number): EventPage {
  const entries = Array.from({ length: lastUs - us }, (_, i) => ({
    id: String(us + i + 1),
    modifiedUs: us + i + 1,
    asset: undefined,
  }));
  return EventPage.print({ epoch: 'one', entries }, [], time);
}

/** Actions of the follower, in order. */
let log: string[];
let stream: { isOver: boolean; isFull: boolean; quietMs: number; read: () => void };
/** The last instant of the next page. */
let endUs: number;
let isCaughtUp: boolean;
/** Whether the tail has moved on after the next read. */
let othersHaveMore: boolean;
let hasRoom: boolean;
/** Pause that the rate limit imposes after a page; undefined: no rate limit. */
let chargedMs: number | undefined;
/** Bytes charged to its rate limit. */
let sentBytes: number;
let follower: EventFollower;

beforeEach(() => {
  logger.level = 'silent';
  [log, endUs, isCaughtUp, othersHaveMore, hasRoom, chargedMs] = [[], 3, true, false, true, undefined];
  sentBytes = 0;
  stream = { isOver: false, isFull: false, quietMs: 0, read: () => undefined };
  follower = new EventFollower(
    {
      tail: {
        join: (member) => {
          log.push(`joins at ${member.us}`);
          return isCaughtUp;
        },
        leave: () => void log.push('leaves'),
      },
      timing: { sleep: (ms) => Promise.resolve(void log.push(`rests ${ms} ms`)) },
      read: async (us) => {
        log.push(`reads after ${us}`);
        [isCaughtUp, othersHaveMore] = [!othersHaveMore, false];
        return pageOf(us, endUs);
      },
      charge: (address) => {
        if (chargedMs !== undefined) log.push(`pays for a page of ${address}`);
        return chargedMs ?? 0;
      },
    },
    {
      address: 'here',
      stream: Object.assign(stream, {
        write: () => void log.push('is sent'),
        drained: () => (stream.isFull ? new Promise<void>((resolve) => (stream.read = resolve)) : Promise.resolve()),
        end: (events: string) => {
          stream.isOver = true;
          log.push(`ends with ${events.slice(0, 6)}`);
        },
        whenOver: () => undefined,
      }),
      caller: {
        releaseSlot: () => void log.push('releases its slot'),
        reacquireSlot: async () => {
          if (!hasRoom) throw unavailable('client_gone');
          log.push('has a slot again');
        },
        chargeWork: (bytes) => void (sentBytes += bytes),
      },
    },
    choice,
    2,
    'one',
  );
});

const calm = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('a follower', () => {
  it('waits at the end without an admission slot, and receives new changes', async () => {
    follower.begin(pageOf(2, 3));
    follower.receive(pageOf(3, 4));
    await calm();
    expect(log).toEqual(['is sent', 'releases its slot', 'joins at 3', 'is sent']);
  });

  it('is charged for each page that it reads itself, and pauses as its rate limit requires', async () => {
    follower.begin(pageOf(2, 3));
    [endUs, othersHaveMore, chargedMs] = [5, true, 700];
    follower.wake();
    await calm();
    expect(log.slice(3)).toEqual([
      'has a slot again',
      'reads after 3',
      'is sent',
      'pays for a page of here',
      'releases its slot',
      'joins at 5',
      'rests 700 ms',
      'has a slot again',
      'reads after 5',
      'releases its slot',
      'joins at 5',
    ]);
  });

  it('is charged for the bytes of all events, including live ones', async () => {
    follower.begin(pageOf(2, 3));
    follower.receive(pageOf(3, 5));
    await calm();
    expect(sentBytes).toBe(pageOf(2, 5).after(2)?.bytes.length);
  });

  it('receives a comment after ten silent seconds, unless its buffer is full', () => {
    follower.begin(pageOf(2, 3));
    const sent = (quietMs: number, isFull = false): number => {
      const before = log.length;
      Object.assign(stream, { quietMs, isFull });
      follower.keepAlive();
      return log.length - before;
    };
    expect([sent(9_999), sent(10_000), sent(10_000, true)]).toEqual([0, 1, 0]);
  });

  it('leaves the tail while its buffer is full, and reads pages once it has drained', async () => {
    follower.begin(pageOf(2, 3));
    stream.isFull = true;
    follower.receive(pageOf(3, 4));
    await calm();
    expect(log.slice(3)).toEqual(['leaves']);
    [endUs, stream.isFull] = [4, false];
    stream.read();
    await calm();
    expect(log.slice(4)).toEqual(['has a slot again', 'reads after 3', 'is sent', 'releases its slot', 'joins at 4']);
  });

  it('whose client has gone takes no slot, reads nothing and does not join', async () => {
    follower.begin(pageOf(2, 3));
    stream.isOver = true;
    follower.wake();
    await calm();
    expect(log).toHaveLength(3);
    follower.begin(pageOf(3, 3));
    expect(log).toHaveLength(3);
  });

  it('ends if no slot is free, and sends a time to reconnect', async () => {
    follower.begin(pageOf(2, 3));
    hasRoom = false;
    follower.wake();
    await calm();
    expect(log.slice(3)).toEqual(['leaves', 'ends with retry:', 'releases its slot']);
  });
});
