import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { checkpointText, leafHash, LogTree } from '#tlog';
import { TestWitness } from '../../test/support/log-witness.js';
import type { Database } from '../database/database.js';
import type { LogHead } from '../database/entities/log-head.entity.js';
import type { Ledger } from '../feed/writing/ledger.js';
import { logger } from '../platform/logging/logger.js';
import type { LogHashes } from './log-hashes.js';
import { LogKeys, newLogKey } from './log-keys.js';
import { ForkedLogError, LogPublisher } from './log-publisher.js';
import { parseWitnesses, Witnesses } from './witnesses.js';

const NAME = 'registry.example.org/log';
const ORIGIN = `${NAME}/0123`;

describe('the publisher of a log', () => {
  let leaves: Buffer[];
  /** Its actions, in order. */
  let done: string[];
  /** The log's size in the database, and the stored checkpoint. */
  let stored: { size: number; checkpoint: string | null };
  let needsBarrier: boolean;
  let flush: () => Promise<void>;
  let keys: LogKeys;
  let lacksWitness: boolean;
  let publisher: LogPublisher;

  const head = (size: number): LogHead => ({ id: 1, untilUs: 0, ...stored, size: (stored.size = size) });
  const session = {
    query: () => Promise.resolve([{ ...stored }]),
    execute: (_: string, [checkpoint]: [string]) => {
      done.push('stored');
      stored.checkpoint = checkpoint;
      return Promise.resolve();
    },
  };
  const ledger = { runBetweenBatches: (work: (on: typeof session) => Promise<unknown>) => work(session) };
  const treeOf = (size: number): LogTree =>
    new LogTree((_, from, count) => Promise.resolve(leaves.slice(from, from + count)), size);
  const publisherWith = (witnesses: Pick<Witnesses, 'countersign' | 'isDue' | 'withCosignaturesOf'>): LogPublisher => {
    return new LogPublisher(
      keys,
      { tree: treeOf } as LogHashes,
      ledger as unknown as Ledger,
      { needsBarrier: () => needsBarrier, flush: () => flush(), dialect: { sql: {} } } as Database,
      witnesses as Witnesses,
    );
  };

  beforeEach(() => {
    leaves = Array.from({ length: 9 }, (_, i) => leafHash(`entry ${i}`));
    [done, stored, needsBarrier, lacksWitness] = [[], { size: 0, checkpoint: null }, true, false];
    flush = () => Promise.resolve(void done.push('flushed'));
    keys = LogKeys.parse(newLogKey(NAME));
    const countersign = (note: string, _: LogTree, before?: string): Promise<string> => {
      expect(before).toBe(stored.checkpoint ?? '');
      done.push('cosigned');
      return Promise.resolve(note);
    };
    publisher = publisherWith({ countersign, isDue: () => lacksWitness, withCosignaturesOf: (_, note) => note });
  });

  it('signs entries only once they are durable', async () => {
    await publisher.publish(head(3), ORIGIN);
    expect(done).toEqual(['flushed', 'cosigned', 'stored']);
    flush = () => Promise.reject(new Error('the disk is full'));
    await expect(publisher.publish(head(4), ORIGIN)).rejects.toThrow('the disk is full');
    expect(done).toHaveLength(3);
    needsBarrier = false;
    await publisher.publish(head(5), ORIGIN);
    expect(done.slice(3)).toEqual(['cosigned', 'stored']);
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
    stored.checkpoint = LogKeys.parse(newLogKey(NAME)).sign(ORIGIN, stored.checkpoint?.split('\n\n')[0] + '\n');
    expect(publisher.isDue(head(3), ORIGIN)).toBe(true);
  });

  it('refuses to sign a history that is inconsistent with the last checkpoint', async () => {
    await publisher.publish(head(5), ORIGIN);
    const signed = stored.checkpoint;
    await expect(publisher.publish(head(4), ORIGIN)).rejects.toThrow(ForkedLogError);
    leaves[4] = leafHash('another one');
    await expect(publisher.publish(head(5), ORIGIN)).rejects.toThrow('the first 5 entries of the log are not those');
    await expect(publisher.publish(head(7), ORIGIN)).rejects.toThrow(ForkedLogError);
    expect(stored.checkpoint).toBe(signed);
    // A restored backup has another log.
    await publisher.publish(head(7), `${NAME}/4567`);
    expect(stored.checkpoint).toMatch(/\/4567\n7\n/);
    leaves[4] = leafHash('entry 4');
    stored.checkpoint = signed;
    await publisher.publish(head(7), ORIGIN);
    expect(stored.checkpoint).toMatch(/\/0123\n7\n/);
  });

  it('warns if the log has another name, as from another key file, but not for another epoch or key', async () => {
    const warned = jest.spyOn(logger, 'warn').mockReturnValue();
    await publisher.publish(head(3), ORIGIN);
    await publisher.publish(head(4), ORIGIN);
    await publisher.publish(head(4), `${NAME}/4567`);
    expect(warned).not.toHaveBeenCalled();
    const [was, origin] = ['other.example/0123', ORIGIN];
    stored.checkpoint = LogKeys.parse(newLogKey('other.example')).sign(
      was,
      checkpointText({ origin: was, size: 4, root: Buffer.alloc(32) }),
    );
    await publisher.publish(head(4), ORIGIN);
    expect(warned.mock.calls).toEqual([[{ was, origin }, expect.stringContaining('the log has another name now')]]);
    warned.mockRestore();
  });

  it('keeps a cosignature that another process got for the same checkpoint', async () => {
    jest.spyOn(logger, 'warn').mockReturnValue();
    // No time-out, however slow the machine is.
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
    const folder = mkdtempSync(join(tmpdir(), 'publisher-'));
    const witness = await TestWitness.start('w', join(folder, 'w'), (origin) => keys.verifierKeys(origin)[0]);
    try {
      // Nothing listens on port 1, so the witness is unreachable from the second process.
      const settings = [witness.setting, `${witness.verifierKey} http://127.0.0.1:1`];
      const [connected, cutOff] = settings.map((one) => publisherWith(new Witnesses(parseWitnesses(one))));
      const seen = head(3);
      await connected?.publish(seen, ORIGIN);
      await cutOff?.publish(seen, ORIGIN);
      expect(done.filter((what) => what === 'stored')).toHaveLength(2);
      expect(witness.hasCosigned(stored.checkpoint ?? '')).toBe(true);
      // A cosignature of another size is dropped.
      await cutOff?.publish(head(4), ORIGIN);
      expect(stored.checkpoint).toBe(
        keys.sign(ORIGIN, checkpointText({ origin: ORIGIN, size: 4, root: await treeOf(4).root() })),
      );
    } finally {
      await witness.stop();
      rmSync(folder, { recursive: true });
      jest.restoreAllMocks();
    }
  });
});
