import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { append, creation, decided, edit, MemoryStore, type Step, submitOne } from '../../../test/support/memory-store.js'; // prettier-ignore
import type { Asset } from '../../database/entities/asset.entity.js';
import type { ApiError } from '../../platform/errors/api-error.js';
import { preconditionFailed } from '../../platform/errors/errors.js';
import { LANE_LIMITS, type LaneLimits, Ledger } from './ledger.js';
import { DatabaseAwayError, OutcomeUnknownError, RetryableError } from './ledger-store.js';
import type { Operation } from './operation.js';
import { SettledWatermark } from '../watermarks.js';
import { SYSTEM_TIMING } from '../clock/wall-clock.js';

const DAY_US = 86_400_000_000;
let store: MemoryStore;
let nowUs: number;
let settled: SettledWatermark;
let durable: Promise<void>;

function ledger(limits: Partial<LaneLimits> = {}): Ledger {
  const context = {
    store,
    timing: SYSTEM_TIMING,
    clock: {
      committed: (lastUs: number) => settled.raise(lastUs),
      untilDurable: () => durable,
      candidateUs: () => nowUs,
      timeUs: () => nowUs,
      mayWrite: () => true,
      dayOf: (us: number) => `day${Math.floor(us / DAY_US)}`,
    },
    assetIdOf: (day: string, number: number) => `${day}-${number}`,
  };
  return new Ledger(context, { ...LANE_LIMITS, ...limits });
}

/** Suspends a step of one transaction until the test releases it. */
function hold(step: Step, transaction: number): { release: () => void } {
  const gate = { release: (): void => undefined };
  const suspended = new Promise<void>((resolve) => (gate.release = resolve));
  store.fault = (at, number) => (at === step && number === transaction ? suspended : undefined);
  return gate;
}

const commits = (): string[] => store.log.filter((line) => line.startsWith('commit'));

beforeEach(() => {
  store = new MemoryStore();
  settled = new SettledWatermark();
  durable = Promise.resolve();
  nowUs = 5 * DAY_US + 1_000;
});
afterEach(() => void jest.useRealTimers());

describe('the lane', () => {
  it('answers with the asset as committed', async () => {
    const asset = await submitOne(ledger(), creation('a'));
    expect(asset).toMatchObject({
      id: 'a',
      assetId: 'day5-1',
      version: 1,
      createdUs: nowUs,
      modifiedUs: nowUs,
      feedUs: nowUs,
    });
    expect(store.rows.get('a')).toEqual(asset);
    expect(settled.us).toBe(nowUs);
  });

  it('does not answer before the commit', async () => {
    const commit = hold('commit', 1);
    const answered = jest.fn();
    const created = submitOne(ledger(), creation('a')).then(answered);
    await setImmediate();
    expect(answered).not.toHaveBeenCalled();
    commit.release();
    await created;
    expect(answered).toHaveBeenCalled();
  });

  it('starts at once, without a timer, if it is idle', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const created = submitOne(ledger(), creation('a'));
    expect((await created).id).toBe('a');
    expect(jest.getTimerCount()).toBe(0);
  });

  it('puts operations that arrive during a batch into the next one', async () => {
    const lane = ledger();
    const commit = hold('commit', 1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const others = ['b', 'c', 'd'].map((id) => submitOne(lane, creation(id)));
    commit.release();
    await Promise.all([first, ...others]);
    expect(store.log.filter((line) => line.startsWith('insert'))).toEqual(['insert 1', 'insert 3']);
  });

  it('gives the operations of a batch instants one microsecond apart, in their order', async () => {
    const lane = ledger();
    const made = await Promise.all(['a', 'b', 'c'].map((id) => submitOne(lane, creation(id))));
    expect(made.map(({ modifiedUs }) => modifiedUs - nowUs)).toEqual([0, 1, 2]);
    expect(made.map(({ assetId }) => assetId)).toEqual(['day5-1', 'day5-2', 'day5-3']);
  });

  it('advances by a microsecond if the wall clock stands still or steps back', async () => {
    const lane = ledger();
    const first = await submitOne(lane, creation('a'));
    nowUs -= DAY_US;
    const second = await submitOne(lane, creation('b'));
    expect(second.modifiedUs).toBe(first.modifiedUs + 1);
  });

  it('numbers a batch that spans midnight by day', async () => {
    nowUs = 6 * DAY_US - 1;
    const lane = ledger();
    const made = await Promise.all(['a', 'b', 'c'].map((id) => submitOne(lane, creation(id))));
    expect(made.map(({ assetId }) => assetId)).toEqual(['day5-1', 'day6-1', 'day6-2']);
    expect(Object.fromEntries(store.numbers)).toEqual({ day5: 1, day6: 2 });
  });

  it('runs one operation per asset and batch, in the order of arrival', async () => {
    const lane = ledger();
    await submitOne(lane, creation('a'));
    const changed = await Promise.all(['x', 'y', 'z'].map((letter) => submitOne(lane, append('a', letter))));
    expect(changed.map(({ body }) => body)).toEqual(['{}x', '{}xy', '{}xyz']);
    expect(commits()).toHaveLength(4);
  });

  it('keeps the order of operations on an asset even if only the later one would fit', async () => {
    const lane = ledger({ batchBytes: 30 });
    await submitOne(lane, creation('a'));
    const operations = [creation('b', 15), append('a', 'x', 20), append('a', 'y', 5)];
    const [, x, y] = await Promise.all(operations.map((operation) => submitOne(lane, operation)));
    expect([x?.body, y?.body]).toEqual(['{}x', '{}xy']);
  });

  it('locks the assets of a batch in the order of their ids', async () => {
    const lane = ledger();
    await Promise.all(['c', 'a', 'b'].map((id) => submitOne(lane, creation(id))));
    await Promise.all(['c', 'a', 'b'].map((id) => submitOne(lane, append(id, 'x'))));
    expect(store.log).toContain('lock free a b c');
  });

  it('gives no instant to an operation that changes nothing, and rolls back', async () => {
    const lane = ledger();
    const before = await submitOne(lane, creation('a'));
    const unchanged = edit('a', () => undefined);
    const after = await submitOne(lane, unchanged);
    expect(after).toEqual(before);
    await lane.idle();
    expect(commits()).toHaveLength(1);
    expect(store.log.at(-1)).toBe('rollback 2');
    expect(store.clockUs).toBe(before.modifiedUs);
  });

  it('gives no position in the feed to an asset that is not listed', async () => {
    const unlisted = { ...creation('a'), decide: () => ({ ...decided('a'), listed: false }) };
    expect((await submitOne(ledger(), unlisted)).feedUs).toBeNull();
  });
});

describe('when the database fails', () => {
  it.each<Step>(['begin', 'lock', 'clock', 'numbers', 'insert', 'change', 'commit'])(
    'a batch is retried after a retryable error at %s and a rollback, and the client does not see the error',
    async (failing) => {
      const lane = ledger();
      await submitOne(lane, creation('a'));
      let left = 2;
      store.fault = (step) => {
        if (step === failing && left-- > 0) throw new RetryableError('deadlock');
      };
      const [changed] = await Promise.all([submitOne(lane, append('a', 'x')), submitOne(lane, creation('b'))]);
      expect(changed.body).toBe('{}x');
      expect(store.rows.size).toBe(2);
      const ends = store.log.filter((line) => /^(begin|rollback|commit)/.test(line)).slice(2);
      const failed = (n: number): string[] => (failing === 'begin' ? [`begin ${n}`] : [`begin ${n}`, `rollback ${n}`]);
      expect(ends).toEqual([...failed(2), ...failed(3), 'begin 4', 'commit 4']);
    },
  );

  it('five retryable errors are 503 with Retry-After', async () => {
    store.fault = (step) => {
      if (step === 'commit') throw new RetryableError('certification');
    };
    const refused = await submitOne(ledger(), creation('a')).catch((error: ApiError) => error);
    expect(refused).toMatchObject({ status: 503, headers: { 'Retry-After': expect.any(String) } });
    expect(store.rows.size).toBe(0);
  });

  it('a database that is away is 503 at once, after one attempt for all operations', async () => {
    store.fault = () => {
      throw new DatabaseAwayError('away');
    };
    const lane = ledger();
    const answers = await Promise.allSettled(['a', 'b', 'c'].map((id) => submitOne(lane, creation(id))));
    expect(answers.map((answer) => (answer as PromiseRejectedResult).reason.status)).toEqual([503, 503, 503]);
    expect(store.log).toEqual(['begin 1']);
  });

  it('a refused operation stays refused when its batch is retried', async () => {
    let left = 1;
    store.fault = (step) => {
      if (step === 'clock' && left-- > 0) throw new RetryableError('deadlock');
    };
    let times = 0;
    const refusedOnce: Operation = { ...creation('b'), decide: () => { if (times++ > 0) return decided('b'); throw preconditionFailed(); } }; // prettier-ignore
    const lane = ledger();
    const answers = await Promise.allSettled(
      [creation('a'), refusedOnce].map((operation) => submitOne(lane, operation)),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect([...store.rows.keys()]).toEqual(['a']);
  });

  it('a defective operation fails alone', async () => {
    const lane = ledger();
    const bad: Operation = { ...creation('bad'), decide: () => decided('bad', 'poison') };
    store.refuses = (asset) => asset.body === 'poison';
    const answers = await Promise.allSettled([creation('a'), bad, creation('c')].map((op) => submitOne(lane, op)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(answers[1]).toMatchObject({ reason: { message: 'constraint' } });
    expect([...store.rows.keys()]).toEqual(['a', 'c']);
  });
});

describe('when COMMIT is not answered', () => {
  const loseFirstCommit = (message: 'committed' | 'committed late' | 'rolled back'): void => {
    store.fault = (step, transaction) => {
      if (step === 'commit' && transaction === 1) throw new OutcomeUnknownError(message);
    };
  };

  it.each(['committed', 'committed late'] as const)(
    'a batch that was %s is answered as it was written, and not run again',
    async (outcome) => {
      loseFirstCommit(outcome);
      const asset = await submitOne(ledger(), creation('a'));
      expect(asset).toMatchObject({ version: 1, assetId: 'day5-1' });
      expect(store.rows.get('a')).toEqual(asset);
      expect(settled.us).toBe(asset.modifiedUs);
      expect(store.log.slice(-5)).toEqual(['rollback 1', 'begin 2', 'lock clock', 'read a', 'rollback 2']);
    },
  );

  it('a committed batch is answered as it was written, even if another process has changed a part of it since', async () => {
    const lane = ledger();
    store.fault = (step, transaction) => {
      if (step === 'commit' && transaction === 1) throw new OutcomeUnknownError('committed');
      if (step !== 'lock clock') return;
      store.rows.set('a', { ...(store.rows.get('a') as Asset), version: 2, modifiedUs: nowUs + 99 });
    };
    const made = await Promise.all(['a', 'b'].map((id) => submitOne(lane, creation(id))));
    expect(made.map(({ version, modifiedUs }) => [version, modifiedUs - nowUs])).toEqual([[1, 0], [1, 1]]); // prettier-ignore
    expect(store.log.filter((line) => line.startsWith('insert'))).toHaveLength(1);
  });

  it('the outcome is found out even if the database does not answer the first time', async () => {
    store.fault = (step, transaction) => {
      if (step === 'commit' && transaction === 1) throw new OutcomeUnknownError('committed');
      if (transaction === 2) throw new DatabaseAwayError('away');
    };
    expect(await submitOne(ledger(), creation('a'))).toEqual(store.rows.get('a'));
    expect(store.log.filter((line) => line.startsWith('insert'))).toHaveLength(1);
  });

  it('a batch that was not committed is run again, once', async () => {
    loseFirstCommit('rolled back');
    const asset = await submitOne(ledger(), creation('a'));
    expect(store.rows.get('a')).toEqual(asset);
    expect(commits()).toHaveLength(1);
  });

  it('a commit that a node of a cluster shows late is answered as it was written, and not run again', async () => {
    const lane = ledger();
    await submitOne(lane, creation('a'));
    const [before, late] = [store.rows.get('a') as Asset, { body: '{}x', version: 2, modifiedUs: nowUs + 1 }];
    store.fault = (step, transaction) => {
      if (step === 'commit' && transaction === 2) throw new OutcomeUnknownError('rolled back');
      // The previous transaction read the outcome without it.
      if (step === 'begin' && transaction === 4) store.rows.set('a', { ...before, ...late });
    };
    expect(await submitOne(lane, append('a', 'x'))).toMatchObject(late);
    expect(store.rows.get('a')).toMatchObject(late);
    expect(store.log.filter((line) => line.startsWith('change'))).toHaveLength(1);
  });

  it('an unknown outcome is 503', async () => {
    const lane = ledger();
    store.rows.set('a', { ...decided('a'), assetId: 'x', version: 1, createdUs: 1, modifiedUs: 1, feedUs: 1 });
    store.fault = (step, transaction) => {
      if (step !== 'commit' || transaction !== 1) return;
      // Another process changed the asset twice in the meantime.
      store.rows.set('a', { ...(store.rows.get('a') as Asset), version: 3, modifiedUs: 99 });
      throw new OutcomeUnknownError('rolled back');
    };
    await expect(submitOne(lane, append('a', 'x'))).rejects.toMatchObject({ status: 503 });
    expect(commits()).toHaveLength(0);
    expect(store.rows.get('a')?.version).toBe(3);
  });
});

describe('back-pressure', () => {
  it('limits a batch by bytes, and runs a larger operation alone', async () => {
    const lane = ledger({ batchBytes: 15 });
    const operations = [creation('a'), creation('b', 1_000), creation('c')];
    await Promise.all(operations.map((operation) => submitOne(lane, operation)));
    expect(store.rows.size).toBe(3);
    expect(store.log.filter((line) => line.startsWith('insert'))).toEqual(['insert 1', 'insert 1', 'insert 1']);
  });

  it('answers 503 after the deadline, and drops operations that still waited then', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const lane = ledger({ deadlineMs: 1_000 });
    const frozen = hold('begin', 1);
    const first = submitOne(lane, creation('a'));
    await setImmediate();
    const decide = jest.fn(() => decided('b'));
    const second = submitOne(lane, { ...creation('b'), decide });
    jest.advanceTimersByTime(999);
    const early = await Promise.race([first, second, setImmediate().then(() => 'not yet')]);
    expect(early).toBe('not yet');
    jest.advanceTimersByTime(1);
    for (const answer of [first, second]) {
      await expect(answer).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': expect.any(String) } });
    }
    frozen.release();
    await lane.idle();
    expect(decide).not.toHaveBeenCalled();
    expect(store.rows.has('b')).toBe(false);
  });

  it('answers 503 after the deadline if the answer is not durable by then', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const lane = ledger({ deadlineMs: 1_000 });
    durable = new Promise(() => undefined);
    const answer = submitOne(lane, creation('a')).catch((error: ApiError) => error.status);
    await lane.idle();
    await setImmediate();
    jest.advanceTimersByTime(999);
    expect(await Promise.race([answer, setImmediate().then(() => 'not yet')])).toBe('not yet');
    jest.advanceTimersByTime(1);
    expect(await Promise.race([answer, setImmediate().then(() => 'not yet')])).toBe(503);
  });

  it('does not retry operations that have passed their deadline', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const lane = ledger({ deadlineMs: 1_000 });
    store.fault = (step) => {
      if (step !== 'clock') return;
      jest.advanceTimersByTime(1_000);
      throw new RetryableError('deadlock');
    };
    await expect(submitOne(lane, creation('a'))).rejects.toMatchObject({ status: 503 });
    await lane.idle();
    expect(store.log.filter((line) => line.startsWith('begin'))).toEqual(['begin 1']);
  });
});

describe('receipts', () => {
  const receiptOf = (id: string): Operation['receipt'] & object => ({ id, bodyDigest: 'b', assetId: 'a', salt: 's' });
  /** Refuses if it finds a receipt, as AssetsService does. */
  const once = (id: string, receipt: string): Operation => ({
    ...creation(id),
    receipt: { ...receiptOf(receipt), assetId: id },
    decide: (_, { receipt: stored }) => {
      if (stored !== undefined) throw new Error(`created before as ${stored.assetId}`);
      return decided(id);
    },
  });

  it('a receipt that another process stored first is found at the next attempt', async () => {
    let rival = true;
    store.fault = (step) => {
      if (step !== 'insert' || !rival) return;
      store.receipts.set('r', { ...receiptOf('r'), assetId: 'z', createdUs: nowUs });
      rival = false;
    };
    await expect(submitOne(ledger(), once('a', 'r'))).rejects.toThrow('created before as z');
    expect(store.rows.size).toBe(0);
  });
});
