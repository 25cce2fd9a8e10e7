import { beforeEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '../../platform/errors/errors.js';
import { logger } from '../../platform/logging/logger.js';
import { RegistryTime } from '../../platform/time/registry-time.js';
import { EventFollower } from './event-follower.js';
import { EventPage } from './event-page.js';
import { choiceOf } from './field-choices.js';

const time = new RegistryTime('UTC');
const choice = choiceOf([]);

/** Up to an instant, from the one after `us` on. */
function pageOf(us: number, lastUs: number): EventPage {
  const entries = Array.from({ length: lastUs - us }, (_, i) => ({
    id: String(us + i + 1),
    modifiedUs: us + i + 1,
    asset: undefined,
  }));
  return EventPage.print({ epoch: 'one', entries }, [], time);
}

/** What happened, in its order. */
let told: string[];
let stream: { isOver: boolean; isFull: boolean; quietMs: number; read: () => void };
/** What the next page goes up to. */
let endUs: number;
let isLevel: boolean;
/** Whether they have, once it has read. */
let othersHaveMore: boolean;
let hasRoom: boolean;
/** For how long it waits after a page that it read by itself; undefined: nobody asks. */
let chargedMs: number | undefined;
/** Bytes that its rate limit was charged for. */
let sentBytes: number;
let follower: EventFollower;

beforeEach(() => {
  logger.level = 'silent';
  [told, endUs, isLevel, othersHaveMore, hasRoom, chargedMs] = [[], 3, true, false, true, undefined];
  sentBytes = 0;
  stream = { isOver: false, isFull: false, quietMs: 0, read: () => undefined };
  follower = new EventFollower(
    {
      tail: {
        join: (member) => {
          told.push(`joins at ${member.us}`);
          return isLevel;
        },
        leave: () => void told.push('leaves'),
      },
      timing: { sleep: (ms) => Promise.resolve(void told.push(`rests ${ms} ms`)) },
      read: async (us) => {
        told.push(`reads after ${us}`);
        [isLevel, othersHaveMore] = [!othersHaveMore, false];
        return pageOf(us, endUs);
      },
      charge: (address) => {
        if (chargedMs !== undefined) told.push(`pays for a page of ${address}`);
        return chargedMs ?? 0;
      },
    },
    {
      address: 'here',
      stream: Object.assign(stream, {
        write: () => void told.push('is sent'),
        drained: () => (stream.isFull ? new Promise<void>((resolve) => (stream.read = resolve)) : Promise.resolve()),
        end: (events: string) => {
          stream.isOver = true;
          told.push(`ends with ${events.slice(0, 6)}`);
        },
        whenOver: () => undefined,
      }),
      caller: {
        releaseSlot: () => void told.push('releases its slot'),
        reacquireSlot: async () => {
          if (!hasRoom) throw unavailable('client_gone');
          told.push('has a slot again');
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
  it('waits at the end without an admission slot, and is sent what comes there', async () => {
    follower.begin(pageOf(2, 3));
    follower.take(pageOf(3, 4));
    await calm();
    expect(told).toEqual(['is sent', 'releases its slot', 'joins at 3', 'is sent']);
  });

  it('pays for each page that it reads by itself, and rests as long as its address has to', async () => {
    follower.begin(pageOf(2, 3));
    [endUs, othersHaveMore, chargedMs] = [5, true, 700];
    follower.wake();
    await calm();
    expect(told.slice(3)).toEqual([
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

  it('is charged for the bytes of all that it is sent, live as well', async () => {
    follower.begin(pageOf(2, 3));
    follower.take(pageOf(3, 5));
    await calm();
    expect(sentBytes).toBe(pageOf(2, 5).after(2)?.bytes.length);
  });

  it('is sent a comment where nothing else was sent for ten seconds, but while it reads nothing', () => {
    follower.begin(pageOf(2, 3));
    const sent = (quietMs: number, isFull = false): number => {
      const before = told.length;
      Object.assign(stream, { quietMs, isFull });
      follower.keepAlive();
      return told.length - before;
    };
    expect([sent(9_999), sent(10_000), sent(10_000, true)]).toEqual([0, 1, 0]);
  });

  it('that has not read what it was sent leaves, and reads on once it has', async () => {
    follower.begin(pageOf(2, 3));
    stream.isFull = true;
    follower.take(pageOf(3, 4));
    await calm();
    expect(told.slice(3)).toEqual(['leaves']);
    [endUs, stream.isFull] = [4, false];
    stream.read();
    await calm();
    expect(told.slice(4)).toEqual(['has a slot again', 'reads after 3', 'is sent', 'releases its slot', 'joins at 4']);
  });

  it('whose client has gone takes no place, reads nothing and joins nobody', async () => {
    follower.begin(pageOf(2, 3));
    stream.isOver = true;
    follower.wake();
    await calm();
    expect(told).toHaveLength(3);
    follower.begin(pageOf(3, 3));
    expect(told).toHaveLength(3);
  });

  it('ends where there is no place for it, and says when to come again', async () => {
    follower.begin(pageOf(2, 3));
    hasRoom = false;
    follower.wake();
    await calm();
    expect(told.slice(3)).toEqual(['leaves', 'ends with retry:', 'releases its slot']);
  });
});
