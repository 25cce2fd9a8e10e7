import type { Asset } from '../../src/database/entities/asset.entity.js';
import type { AuditEntry } from '../../src/database/entities/audit-entry.entity.js';
import type { Receipt } from '../../src/database/entities/receipt.entity.js';
import type { Revision } from '../../src/database/entities/revision.entity.js';
import type { TransferCode } from '../../src/database/entities/transfer-code.entity.js';
import type { LedgerClock } from '../../src/feed/watermarks.js';
import { LANE_LIMITS, type LaneLimits, Ledger } from '../../src/feed/writing/ledger.js';
import {
  type DayNumbers,
  type LedgerStore,
  type LedgerTransaction,
  OutcomeUnknownError,
  RetryableError,
} from '../../src/feed/writing/ledger-store.js';
import type { DecidedAsset, Operation } from '../../src/feed/writing/operation.js';
import { SYSTEM_TIMING, type Timing } from '../../src/feed/clock/wall-clock.js';

export type Step = 'begin' | 'lock' | 'clock' | 'numbers' | 'insert' | 'change' | 'code' | 'lock clock' | 'commit';

/**
 * A database in memory: writes are visible only after their commit. `fault` may throw at any step. The message of an OutcomeUnknownError at commit
 * decides the outcome: `committed`, `committed late` (when the next transaction locks the clock), or `rolled back`.
 */
export class MemoryStore implements LedgerStore {
  isAway = false;
  readonly rows = new Map<string, Asset>();
  readonly numbers = new Map<string, number>();
  readonly receipts = new Map<string, Receipt>();
  readonly codes = new Map<string, TransferCode>();
  readonly audit: AuditEntry[] = [];
  readonly revisions: Revision[] = [];
  readonly usedDays = new Map<string, string>();
  readonly log: string[] = [];
  readonly lockedByOthers = new Set<string>();
  clockUs = 0;
  notedUs = 0;
  fault: (step: Step, transaction: number) => void | Promise<void> = () => undefined;
  refuses: (asset: Asset) => boolean = () => false;
  private begun = 0;
  private finishLate: () => void = () => undefined;

  async begin(): Promise<LedgerTransaction> {
    const number = ++this.begun;
    this.log.push(`begin ${number}`);
    await this.fault('begin', number);
    return this.transaction(number);
  }

  private transaction(number: number): LedgerTransaction {
    const writes: (() => void)[] = [];
    const forgotten = new Set<string>();
    let clockUs = this.clockUs;
    const numbers = new Map(this.numbers);
    const apply = (): void => {
      this.clockUs = clockUs;
      for (const [day, last] of numbers) this.numbers.set(day, last);
      for (const write of writes) write();
    };
    const takeNumbers = async ({ day, count }: DayNumbers): Promise<number> => {
      await this.fault('numbers', number);
      numbers.set(day, (numbers.get(day) ?? 0) + count);
      return numbers.get(day) as number;
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
        if (ids.some((id) => this.lockedByOthers.has(id))) throw new RetryableError('lock wait timed out');
        return among(this.rows, ids);
      },
      lockFreeAssets: async (ids) => {
        this.log.push(`lock free ${ids.join(' ')}`);
        await this.fault('lock', number);
        return among(
          this.rows,
          ids.filter((id) => !this.lockedByOthers.has(id)),
        );
      },
      readAssets: async (ids) => {
        this.log.push(`read ${ids.join(' ')}`);
        return among(this.rows, ids);
      },
      findAssets: async (ids) => ids.filter((id) => this.rows.has(id)),
      advanceClock: async (candidateUs, count, wanted) => {
        await this.fault('clock', number);
        clockUs = Math.max(clockUs + 1, candidateUs) + count - 1;
        return { lastUs: clockUs, lastNumber: wanted === undefined ? 0 : await takeNumbers(wanted) };
      },
      lockClock: async () => {
        this.log.push('lock clock');
        await this.fault('lock clock', number);
        this.finishLate();
      },
      takeNumbers,
      returnNumbers: async ({ day, count }) => void numbers.set(day, (numbers.get(day) ?? 0) - count),
      lockReceipts: async (ids) => among(this.receipts, ids),
      deleteReceipts: async (ids) => {
        for (const id of ids) forgotten.add(id);
        writes.push(() => ids.forEach((id) => this.receipts.delete(id)));
      },
      lockCodes: async (ids) => {
        this.log.push(`lock codes ${ids.join(' ')}`);
        return among(this.codes, ids);
      },
      storeTransferCode: async (code, audit) => {
        await this.fault('code', number);
        writes.push(() => {
          this.codes.set(code.id, code);
          this.audit.push(audit);
        });
      },
      write: async ({ created, changed, revisions, receipts, audit, usedCodes }) => {
        if (created.length > 0) await put('insert', created);
        if (changed.length > 0) await put('change', changed);
        if (receipts.some(({ id }) => this.receipts.has(id) && !forgotten.has(id)))
          throw new RetryableError('duplicate');
        writes.push(() => receipts.forEach((receipt) => this.receipts.set(receipt.id, receipt)));
        writes.push(() => this.revisions.push(...revisions));
        writes.push(() => this.audit.push(...audit));
        writes.push(() => usedCodes.forEach((id) => this.codes.delete(id)));
      },
      markKeyUsed: async (id, day) => void writes.push(() => this.usedDays.set(id, day)),
      noteTime: async (us) => void writes.push(() => (this.notedUs = us)),
      run: () => Promise.reject(new Error('it has no tables of other rooms')),
      commit: async () => {
        try {
          await this.fault('commit', number);
        } catch (error) {
          if (error instanceof OutcomeUnknownError && error.message === 'committed') apply();
          if (error instanceof OutcomeUnknownError && error.message === 'committed late') this.finishLate = apply;
          throw error;
        }
        apply();
        this.log.push(`commit ${number}`);
      },
      rollback: async () => void this.log.push(`rollback ${number}`),
    };
  }
}

/** The entries of `all` with these ids. */
function among<T>(all: ReadonlyMap<string, T>, ids: readonly string[]): Map<string, T> {
  return new Map(ids.flatMap((id) => (all.has(id) ? [[id, all.get(id) as T]] : [])));
}

export function decided(id: string, body = '{}'): DecidedAsset {
  const changed = ['title'];
  return {
    id,
    assetType: 't',
    status: 's',
    owner: 'o',
    tokenDigest: 'd',
    relatedLot: null,
    body,
    listed: true,
    changed,
  };
}

const author = { account: 'o', requestId: 'r' };

export const creation = (id: string, bytes = 10): Operation => ({
  ids: [id],
  creates: true,
  author,
  bytes,
  decide: () => decided(id),
});

export const edit = (id: string, decide: (current: Asset) => DecidedAsset | undefined, bytes = 10): Operation => ({
  ids: [id],
  creates: false,
  author,
  bytes,
  decide: (current) => decide(current as Asset),
});

/** An operation that appends a letter to the body, so that the order of operations can be read from it. */
export const append = (id: string, letter: string, bytes = 10): Operation =>
  edit(id, (current) => decided(id, current.body + letter), bytes);

/** Submits an operation on one asset. */
export async function submitOne(ledger: Ledger, operation: Operation): Promise<Asset> {
  const [asset] = await ledger.submit(operation);
  return asset as Asset;
}

/** A ledger on the store, in real time, whose clock begins at the instant 1,000. */
export function ledgerOver(
  store: LedgerStore,
  limits: LaneLimits = LANE_LIMITS,
  time: Partial<Pick<LedgerClock, 'candidateUs' | 'dayOf'>> = {},
  timing: Partial<Timing> = {},
): Ledger {
  const context = {
    store,
    timing: { ...SYSTEM_TIMING, ...timing },
    clock: {
      committed: () => undefined,
      untilDurable: () => Promise.resolve(),
      candidateUs: () => 1_000,
      timeUs: () => 1_000,
      mayWrite: () => true,
      dayOf: () => 'day5',
      ...time,
    },
    assetIdOf: (day: string, number: number) => `${day}-${number}`,
  };
  return new Ledger(context, limits);
}
