import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Asset } from '../database/entities/asset.entity.js';
import { ApiError } from '../errors/api-error.js';
import { preconditionFailed } from '../errors/errors.js';
import { LANE_LIMITS, type LaneLimits, Ledger } from './ledger.js';
import {
  DatabaseAwayError,
  type LedgerStore,
  type LedgerTransaction,
  OutcomeUnknownError,
  RetryableError,
} from './ledger-store.js';
import type { DraftedAsset, Operation } from './operation.js';
import { SettledClock } from './settled-clock.js';

type Step = 'begin' | 'lock' | 'clock' | 'numbers' | 'insert' | 'change' | 'commit';

/** A database in memory: what a transaction writes is seen after its commit only. `fault` may throw at any step. */
class MemoryStore implements LedgerStore {
  readonly rows = new Map<string, Asset>();
  readonly numbers = new Map<string, number>();
  readonly log: string[] = [];
  clockUs = 0;
  fault: (step: Step, transaction: number) => void | Promise<void> = () => undefined;
  refuses: (asset: Asset) => boolean = () => false;
  private begun = 0;

  async begin(): Promise<LedgerTransaction> {
    const number = ++this.begun;
    this.log.push(`begin ${number}`);
    await this.fault('begin', number);
    return this.transaction(number);
  }

  private transaction(number: number): LedgerTransaction {
    const writes: (() => void)[] = [];
    let clockUs = this.clockUs;
    const numbers = new Map(this.numbers);
    const apply = (): void => {
      this.clockUs = clockUs;
      for (const [day, last] of numbers) this.numbers.set(day, last);
      for (const write of writes) write();
    };
    const put = async (step: 'insert' | 'change', assets: readonly Asset[]): Promise<void> => {
      this.log.push(`${step} ${assets.length}`);
      await this.fault(step, number);
      if (assets.some(this.refuses)) throw new Error('constraint');
      writes.push(() => assets.forEach((asset) => this.rows.set(asset.id, asset)));
    };
    return {
      lockAssets: async (ids) => {
        this.log.push(`lock ${ids.join(' ')}`);
        await this.fault('lock', number);
        return new Map(ids.flatMap((id) => (this.rows.has(id) ? [[id, this.rows.get(id) as Asset]] : [])));
      },
      advanceClock: async (candidateUs, count) => {
        await this.fault('clock', number);
        clockUs = Math.max(clockUs + 1, candidateUs) + count - 1;
        return clockUs;
      },
      lockClock: async () => void this.log.push('lock clock'),
      takeNumbers: async (day, count) => {
        await this.fault('numbers', number);
        numbers.set(day, (numbers.get(day) ?? 0) + count);
        return numbers.get(day) as number;
      },
      insertAssets: (assets) => put('insert', assets),
      changeAssets: (assets) => put('change', assets),
      commit: async () => {
        try {
          await this.fault('commit', number);
        } catch (error) {
          // A commit whose answer is lost may have been kept: the test says so by the message.
          if (error instanceof OutcomeUnknownError && error.message === 'kept') apply();
          throw error;
        }
        apply();
        this.log.push(`commit ${number}`);
      },
      rollback: async () => void this.log.push(`rollback ${number}`),
    };
  }
}

const DAY_US = 86_400_000_000;
let store: MemoryStore;
let nowUs: number;
let settled: SettledClock;

function ledger(limits: Partial<LaneLimits> = {}): Ledger {
  const context = {
    store,
    committed: (lastUs: number) => settled.raise(lastUs),
    candidateUs: () => nowUs,
    dayOf: (us: number) => `day${Math.floor(us / DAY_US)}`,
    assetIdOf: (day: string, number: number) => `${day}-${number}`,
  };
  return new Ledger(context, { ...LANE_LIMITS, ...limits });
}

function draft(id: string, body = '{}'): DraftedAsset {
  return { id, assetType: 't', status: 's', owner: 'o', tokenDigest: 'd', relatedLot: null, body, listed: true };
}

const creation = (id: string, bytes = 10): Operation => ({ id, creates: true, bytes, decide: () => draft(id) });

const edit = (id: string, decide: (current: Asset) => DraftedAsset | undefined): Operation => ({
  id,
  creates: false,
  bytes: 10,
  decide: (current) => decide(current as Asset),
});

/** Adds a letter to the body: an order that can be read afterwards. */
const append = (id: string, letter: string): Operation => edit(id, (current) => draft(id, current.body + letter));

const commits = (): string[] => store.log.filter((line) => line.startsWith('commit'));

beforeEach(() => {
  store = new MemoryStore();
  settled = new SettledClock();
  nowUs = 5 * DAY_US + 1_000;
});

describe('the lane', () => {
  it('answers after the commit, with the asset as it is then', async () => {
    const asset = await ledger().submit(creation('a'));
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

  it('lets what comes while a batch is under way join the next one', async () => {
    const lane = ledger();
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    store.fault = (step, transaction) => (step === 'commit' && transaction === 1 ? held : undefined);
    const first = lane.submit(creation('a'));
    await Promise.resolve();
    await Promise.resolve();
    const others = ['b', 'c', 'd'].map((id) => lane.submit(creation(id)));
    release();
    await Promise.all([first, ...others]);
    expect(store.log.filter((line) => line.startsWith('insert'))).toEqual(['insert 1', 'insert 3']);
  });

  it('gives the operations of a batch instants one microsecond apart, in their order', async () => {
    const lane = ledger();
    const made = await Promise.all(['a', 'b', 'c'].map((id) => lane.submit(creation(id))));
    expect(made.map(({ modifiedUs }) => modifiedUs - nowUs)).toEqual([0, 1, 2]);
    expect(made.map(({ assetId }) => assetId)).toEqual(['day5-1', 'day5-2', 'day5-3']);
  });

  it('goes on when the wall clock stands or steps back', async () => {
    const lane = ledger();
    const first = await lane.submit(creation('a'));
    nowUs -= DAY_US;
    const second = await lane.submit(creation('b'));
    expect(second.modifiedUs).toBe(first.modifiedUs + 1);
  });

  it('numbers a batch that reaches over midnight by day', async () => {
    nowUs = 6 * DAY_US - 1;
    const lane = ledger();
    const made = await Promise.all(['a', 'b', 'c'].map((id) => lane.submit(creation(id))));
    expect(made.map(({ assetId }) => assetId)).toEqual(['day5-1', 'day6-1', 'day6-2']);
  });

  it('runs one operation per asset and batch, in the order in which they came', async () => {
    const lane = ledger();
    await lane.submit(creation('a'));
    const changed = await Promise.all(['x', 'y', 'z'].map((letter) => lane.submit(append('a', letter))));
    expect(changed.map(({ body }) => body)).toEqual(['{}x', '{}xy', '{}xyz']);
    expect(commits()).toHaveLength(4);
  });

  it('locks the assets of a batch in the order of their ids', async () => {
    const lane = ledger();
    await Promise.all(['c', 'a', 'b'].map((id) => lane.submit(creation(id))));
    await Promise.all(['c', 'a', 'b'].map((id) => lane.submit(append(id, 'x'))));
    expect(store.log).toContain('lock a b c');
  });

  it('an operation that changes nothing takes no instant and commits nothing', async () => {
    const lane = ledger();
    const before = await lane.submit(creation('a'));
    const after = await lane.submit(edit('a', () => undefined));
    expect(after).toEqual(before);
    expect(commits()).toHaveLength(1);
    expect(store.clockUs).toBe(before.modifiedUs);
  });

  it('a refused operation leaves the batch and uses no number', async () => {
    const lane = ledger();
    const refusing: Operation = { ...creation('b'), decide: () => { throw preconditionFailed(); } }; // prettier-ignore
    const [a, b, c] = await Promise.allSettled([creation('a'), refusing, creation('c')].map((op) => lane.submit(op)));
    expect(b).toMatchObject({ status: 'rejected', reason: { status: 412 } });
    expect([a, c]).toMatchObject([{ value: { assetId: 'day5-1' } }, { value: { assetId: 'day5-2' } }]);
  });

  it('what is not listed has no place in the feed', async () => {
    const drafted = { ...creation('a'), decide: () => ({ ...draft('a'), listed: false }) };
    expect((await ledger().submit(drafted)).feedUs).toBeNull();
  });
});

describe('when the database fails', () => {
  it.each<Step>(['begin', 'lock', 'clock', 'numbers', 'insert', 'change', 'commit'])(
    'a retryable error at %s is tried again, after a rollback, and is not seen by the client',
    async (failing) => {
      const lane = ledger();
      await lane.submit(creation('a'));
      let left = 2;
      store.fault = (step) => {
        if (step === failing && left-- > 0) throw new RetryableError('deadlock');
      };
      const [changed] = await Promise.all([lane.submit(append('a', 'x')), lane.submit(creation('b'))]);
      expect(changed.body).toBe('{}x');
      expect(store.rows.size).toBe(2);
      if (failing !== 'begin') expect(store.log.filter((line) => line.startsWith('rollback'))).toHaveLength(2);
    },
  );

  it('five retryable errors are 503 with Retry-After', async () => {
    store.fault = (step) => {
      if (step === 'commit') throw new RetryableError('certification');
    };
    const refused = await ledger()
      .submit(creation('a'))
      .catch((error: ApiError) => error);
    expect(refused).toMatchObject({ status: 503, headers: { 'Retry-After': expect.any(String) } });
    expect(store.rows.size).toBe(0);
  });

  it('a database that is away is 503 at once', async () => {
    store.fault = () => {
      throw new DatabaseAwayError('away');
    };
    await expect(ledger().submit(creation('a'))).rejects.toMatchObject({ status: 503 });
    expect(store.log).toEqual(['begin 1']);
  });

  it('a bad operation fails alone', async () => {
    const lane = ledger();
    const bad: Operation = { ...creation('bad'), decide: () => draft('bad', 'poison') };
    store.refuses = (asset) => asset.body === 'poison';
    const answers = await Promise.allSettled([creation('a'), bad, creation('c')].map((op) => lane.submit(op)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(answers[1]).toMatchObject({ reason: { message: 'constraint' } });
    expect([...store.rows.keys()]).toEqual(['a', 'c']);
  });
});

describe('when COMMIT is not answered', () => {
  const loseFirstCommit = (message: 'kept' | 'gone'): void => {
    store.fault = (step, transaction) => {
      if (step === 'commit' && transaction === 1) throw new OutcomeUnknownError(message);
    };
  };

  it('what was kept is answered as it was written, and not run again', async () => {
    loseFirstCommit('kept');
    const asset = await ledger().submit(creation('a'));
    expect(asset).toMatchObject({ version: 1, assetId: 'day5-1' });
    expect(store.rows.get('a')).toEqual(asset);
    expect(store.log).toContain('lock clock');
    expect(store.log.filter((line) => line.startsWith('insert'))).toHaveLength(1);
  });

  it('what was not kept is run again, once', async () => {
    loseFirstCommit('gone');
    const asset = await ledger().submit(creation('a'));
    expect(store.rows.get('a')).toEqual(asset);
    expect(commits()).toHaveLength(1);
  });

  it('what cannot be known is 503', async () => {
    const lane = ledger();
    store.rows.set('a', { ...draft('a'), assetId: 'x', version: 1, createdUs: 1, modifiedUs: 1, feedUs: 1 });
    store.fault = (step, transaction) => {
      if (step !== 'commit' || transaction !== 1) return;
      // Another process changed the asset twice in the meantime.
      store.rows.set('a', { ...(store.rows.get('a') as Asset), version: 3, modifiedUs: 99 });
      throw new OutcomeUnknownError('gone');
    };
    await expect(lane.submit(append('a', 'x'))).rejects.toMatchObject({ status: 503 });
    expect(commits()).toHaveLength(0);
  });
});

describe('back-pressure', () => {
  it.each([
    ['count', { queueCount: 2 }],
    ['bytes', { queueBytes: 25 }],
  ])('refuses what is too much by %s with 503 and Retry-After', async (_, limits) => {
    const lane = ledger(limits);
    const answers = await Promise.allSettled(['a', 'b', 'c'].map((id) => lane.submit(creation(id))));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(answers[2]).toMatchObject({ reason: { status: 503, headers: { 'Retry-After': expect.any(String) } } });
  });

  it('bounds a batch by count', async () => {
    const lane = ledger({ batchCount: 2 });
    await Promise.all(['a', 'b', 'c'].map((id) => lane.submit(creation(id))));
    expect(commits()).toHaveLength(2);
  });

  it('bounds a batch by bytes, and lets one that is larger go alone', async () => {
    const lane = ledger({ batchBytes: 15 });
    await Promise.all([lane.submit(creation('a')), lane.submit(creation('b', 1_000)), lane.submit(creation('c'))]);
    expect(store.rows.size).toBe(3);
  });

  it('answers 503 after the deadline, and never begins what was still waiting then', async () => {
    const lane = ledger({ deadlineMs: 20 });
    let release!: () => void;
    const frozen = new Promise<void>((resolve) => (release = resolve));
    store.fault = (step, transaction) => (step === 'begin' && transaction === 1 ? frozen : undefined);
    const first = lane.submit(creation('a'));
    await Promise.resolve();
    await Promise.resolve();
    const second = lane.submit(creation('b'));
    await expect(first).rejects.toMatchObject({ status: 503 });
    await expect(second).rejects.toMatchObject({ status: 503 });
    release();
    await lane.idle();
    expect(store.rows.has('b')).toBe(false);
  });
});
