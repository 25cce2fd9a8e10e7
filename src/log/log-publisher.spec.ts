import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '../database/database.js';
import type { LogHead } from '../database/entities/log-head.entity.js';
import type { Ledger } from '../feed/writing/ledger.js';
import type { LogHashes } from './log-hashes.js';
import { LogKeys, newLogKey } from './log-keys.js';
import { ForkedLogError, LogPublisher } from './log-publisher.js';
import { leafHash, LogTree } from './tree.js';
import type { Witnesses } from './witnesses.js';

const NAME = 'registry.example.org/log';
const ORIGIN = `${NAME}/0123`;

describe('the publisher of a log', () => {
  let leaves: Buffer[];
  /** What it has done, in order. */
  let done: string[];
  /** The note that was kept last. */
  let kept: string | null;
  let needsBarrier: boolean;
  let flush: () => Promise<void>;
  let keys: LogKeys;
  let lacksWitness: boolean;
  let publisher: LogPublisher;

  const head = (size: number): LogHead => ({ id: 1, size, untilUs: 0, checkpoint: kept });

  beforeEach(() => {
    leaves = Array.from({ length: 9 }, (_, i) => leafHash(`entry ${i}`));
    [done, kept, needsBarrier, lacksWitness] = [[], null, true, false];
    flush = () => Promise.resolve(void done.push('flushed'));
    keys = LogKeys.parse(newLogKey(NAME));
    const tree = (size: number): LogTree =>
      new LogTree((_, from, count) => Promise.resolve(leaves.slice(from, from + count)), size);
    const countersign = (note: string, _: LogTree, before: string): Promise<string> => {
      expect(before).toBe(kept ?? '');
      done.push('cosigned');
      kept = note;
      return Promise.resolve(note);
    };
    const ledger = { between: () => Promise.resolve(done.push('kept')) };
    publisher = new LogPublisher(
      keys,
      { tree } as LogHashes,
      ledger as unknown as Ledger,
      { needsBarrier: () => needsBarrier, flush: () => flush() } as Database,
      { countersign, isDue: () => lacksWitness } as unknown as Witnesses,
    );
  });

  it('signs what is durable, and nothing before', async () => {
    await publisher.publish(head(3), ORIGIN);
    expect(done).toEqual(['flushed', 'cosigned', 'kept']);
    flush = () => Promise.reject(new Error('the disk is full'));
    await expect(publisher.publish(head(4), ORIGIN)).rejects.toThrow('the disk is full');
    expect(done).toHaveLength(3);
    needsBarrier = false;
    await publisher.publish(head(5), ORIGIN);
    expect(done.slice(3)).toEqual(['cosigned', 'kept']);
  });

  it('signs each size, key and history once', async () => {
    expect(publisher.isDue(head(0), ORIGIN)).toBe(true);
    await publisher.publish(head(3), ORIGIN);
    expect(publisher.isDue(head(3), ORIGIN)).toBe(false);
    expect(publisher.isDue(head(4), ORIGIN)).toBe(true);
    lacksWitness = true;
    expect(publisher.isDue(head(3), ORIGIN)).toBe(true);
    lacksWitness = false;
    expect(publisher.isDue(head(3), `${NAME}/4567`)).toBe(true);
    kept = LogKeys.parse(newLogKey(NAME)).sign(ORIGIN, kept?.split('\n\n')[0] + '\n');
    expect(publisher.isDue(head(3), ORIGIN)).toBe(true);
  });

  it('signs no history but the one that it has signed', async () => {
    await publisher.publish(head(5), ORIGIN);
    const signed = kept;
    await expect(publisher.publish(head(4), ORIGIN)).rejects.toThrow(ForkedLogError);
    leaves[4] = leafHash('another one');
    await expect(publisher.publish(head(5), ORIGIN)).rejects.toThrow('the first 5 entries of the log are not those');
    await expect(publisher.publish(head(7), ORIGIN)).rejects.toThrow(ForkedLogError);
    expect(kept).toBe(signed);
    // A restored backup is another log.
    await publisher.publish(head(7), `${NAME}/4567`);
    expect(kept).toMatch(/\/4567\n7\n/);
    leaves[4] = leafHash('entry 4');
    kept = signed;
    await publisher.publish(head(7), ORIGIN);
    expect(kept).toMatch(/\/0123\n7\n/);
  });
});
