import type { ReadAsset } from '../../src/database/readers/asset-row.js';
import type { Asset } from '../../src/database/entities/asset.entity.js';
import type { Receipt } from '../../src/database/entities/receipt.entity.js';
import type { TransferCode } from '../../src/database/entities/transfer-code.entity.js';
import type { FeedRange, FeedSnapshot } from '../../src/database/readers/feed-reader.js';
import type { PublicRevision } from '../../src/database/readers/revision-feed.js';
import type { FormerPosition } from '../../src/database/readers/revision-reader.js';
import { unavailable } from '../../src/platform/errors/errors.js';
import type { Durability } from '../../src/feed/watermarks.js';
import {
  type BatchRows,
  DatabaseAwayError,
  type DayNumbers,
  type Reserved,
  type LedgerStore,
  type LedgerTransaction,
  OutcomeUnknownError,
  RetryableError,
} from '../../src/feed/writing/ledger-store.js';
import type { FeedSource, PastSource } from '../../src/feed/reading/exact-feed.js';
import { EncodedText } from '../../src/platform/text/encoded-text.js';
import type { Random } from '../support/random.js';
import { type Client, type Faults, SimulatedConnection } from './simulated-connection.js';
import type { AssumedRules, Changes, SimulatedDatabase } from './simulated-database.js';

const CLOCK = 'the clock';
const WRITER = 'the one writer';
const VIEW_MS = 1;
const READ_ATTEMPTS = 5;

/** The simulated database as one process reaches it: what the ledger and the feed need of a database. */
export class SimulatedStore implements LedgerStore, FeedSource, PastSource, Durability {
  readonly connections = new Set<SimulatedConnection>();
  private losses = 0;

  constructor(
    private readonly database: SimulatedDatabase,
    private readonly client: Client,
    private readonly faults: () => Faults,
    private readonly random: Random,
    private readonly assumed: AssumedRules,
  ) {}

  get isAway(): boolean {
    return !this.database.isUp;
  }

  get atomicViews(): boolean {
    return this.assumed.views === 'atomic';
  }

  needsBarrier(): boolean {
    return this.assumed.visible === 'before it is durable';
  }

  async begin(): Promise<LedgerTransaction> {
    if (!this.database.isUp) throw new DatabaseAwayError('away');
    const connection = this.connect();
    if (this.database.rules.oneWriter) await connection.statement(() => lock(connection, WRITER));
    return new SimulatedTransaction(connection);
  }

  read(range: FeedRange): Promise<FeedSnapshot> {
    return this.seen((before) => this.database.view(range, before));
  }

  async *endedAfter(us: number): AsyncGenerator<PublicRevision[]> {
    yield await this.seen((before) => this.database.endedAfter(us, before));
  }

  positionsLeftSince(us: number, range: FeedRange): Promise<FormerPosition[]> {
    return this.seen((before) => this.database.positionsLeftSince(us, range, before));
  }

  at(): Promise<never> {
    return Promise.reject(new Error('the simulation reads no whole pages'));
  }

  async readPoint(): Promise<number> {
    return this.retryUnavailable((connection) =>
      connection.statement(async () => {
        await lock(connection, CLOCK);
        return this.database.clockUs;
      }),
    );
  }

  /** A separate commit; its flush also makes everything durable that was visible when it began. */
  async flush(): Promise<void> {
    await this.retryUnavailable((connection) =>
      connection.statement(async () => {
        const count = this.database.commitCount;
        await connection.time.sleep(connection.syncDelay());
        if (!connection.isLost) this.database.makeDurable(count);
      }),
    );
  }

  timesLost(): number {
    return this.losses;
  }

  find(id: string): Promise<ReadAsset | undefined> {
    return this.retryUnavailable((connection) => connection.statement(() => toRead(this.database.rows.get(id))));
  }

  /** Reads by a view that takes time to open. @param look what the view shows, given the number of commits when it was opened */
  private seen<T>(look: (commitCountBefore: number) => T): Promise<T> {
    return this.retryUnavailable((connection) =>
      connection.statement(async () => {
        const before = this.database.commitCount;
        await connection.time.sleep(connection.delay(VIEW_MS));
        if (connection.isLost) throw new RetryableError('lost');
        return look(before);
      }),
    );
  }

  /** Retries reads after a lost connection, as the database room does. @throws ApiError 503 */
  private async retryUnavailable<T>(work: (connection: SimulatedConnection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      if (!this.database.isUp || attempt > READ_ATTEMPTS) throw unavailable('database_away');
      const connection = this.connect();
      try {
        return await work(connection);
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        if (connection.isLost) this.losses++;
      } finally {
        connection.die();
      }
    }
  }

  private connect(): SimulatedConnection {
    for (const connection of this.connections) if (connection.isDead) this.connections.delete(connection);
    const connection = new SimulatedConnection(this.database, this.client, this.faults(), this.random);
    this.connections.add(connection);
    return connection;
  }

  /** The process is killed: its connections break off. */
  kill(): void {
    for (const connection of this.connections) if (!connection.committing) connection.die();
    this.connections.clear();
  }
}

/** @throws RetryableError when it is not granted in time, or never will be */
async function lock(connection: SimulatedConnection, key: string): Promise<void> {
  const isGranted = await connection.database.locks.acquire(connection, key);
  if (!isGranted || connection.isLost) throw new RetryableError('no lock');
}

class SimulatedTransaction implements LedgerTransaction {
  private readonly changes: Changes = {
    clockUs: undefined,
    rows: [],
    numbers: new Map(),
    receipts: [],
    revisions: [],
  };

  constructor(private readonly connection: SimulatedConnection) {}

  private get database(): SimulatedDatabase {
    return this.connection.database;
  }

  async lockAssets(ids: readonly string[]): Promise<Map<string, Asset>> {
    return this.connection.statement(async () => {
      for (const id of ids) await lock(this.connection, id);
      return this.rowsOf(ids);
    });
  }

  lockFreeAssets(ids: readonly string[]): Promise<Map<string, Asset>> {
    return this.connection.statement(async () => {
      const free = ids.filter((id) => this.database.locks.isFree(this.connection, id));
      for (const id of free) await lock(this.connection, id);
      return this.rowsOf(free);
    });
  }

  readAssets(ids: readonly string[]): Promise<Map<string, Asset>> {
    return this.connection.statement(() => this.rowsOf(ids));
  }

  private rowsOf(ids: readonly string[]): Map<string, Asset> {
    const rows = ids.map((id) => this.database.rows.get(id)).filter((row) => row !== undefined);
    return new Map(rows.map((row) => [row.id, row]));
  }

  findAssets(ids: readonly string[]): Promise<string[]> {
    return this.connection.statement(() => ids.filter((id) => this.database.rows.has(id)));
  }

  /** Sent together, and still one after the other where they are run: each may be lost, or wait, by itself. */
  async advanceClock(candidateUs: number, count: number, numbers: DayNumbers | undefined): Promise<Reserved> {
    const lastUs = await this.connection.statement(async () => {
      await lock(this.connection, CLOCK);
      const beforeUs = this.changes.clockUs ?? this.database.clockUs;
      this.changes.clockUs = Math.max(beforeUs + 1, candidateUs) + count - 1;
      return this.changes.clockUs;
    });
    return { lastUs, lastNumber: numbers === undefined ? 0 : await this.takeNumbers(numbers) };
  }

  lockClock(): Promise<void> {
    return this.connection.statement(() => lock(this.connection, CLOCK));
  }

  takeNumbers({ day, count }: DayNumbers): Promise<number> {
    return this.connection.statement(async () => {
      await lock(this.connection, day);
      const last = (this.changes.numbers.get(day) ?? this.database.lastNumber(day)) + count;
      this.changes.numbers.set(day, last);
      return last;
    });
  }

  async returnNumbers({ day, count }: DayNumbers): Promise<void> {
    await this.connection.statement(() => {
      this.changes.numbers.set(day, (this.changes.numbers.get(day) ?? 0) - count);
    });
  }

  async lockReceipts(ids: readonly string[]): Promise<Map<string, Receipt>> {
    return this.connection.statement(() => {
      // Nothing is locked where there is no row.
      const found = ids.map((id) => this.database.receipts.get(id)).filter((receipt) => receipt !== undefined);
      return new Map(found.map((receipt) => [receipt.id, receipt]));
    });
  }

  async write({ created, changed, revisions, receipts }: BatchRows): Promise<void> {
    if (created.length > 0) await this.insertAssets(created);
    if (changed.length > 0) await this.connection.statement(() => void this.changes.rows.push(...changed));
    if (revisions.length > 0) await this.connection.statement(() => void this.changes.revisions.push(...revisions));
    if (receipts.length > 0) await this.insertReceipts(receipts);
    // Stands for the audit's statement, which takes time between the clock and the commit.
    await this.connection.statement(() => undefined);
  }

  private async insertReceipts(receipts: readonly Receipt[]): Promise<void> {
    await this.connection.statement(async () => {
      for (const { id } of receipts) {
        await lock(this.connection, id);
        if (this.database.receipts.has(id)) throw new RetryableError(`duplicate receipt ${id}`);
      }
      this.changes.receipts.push(...receipts);
    });
  }

  lockCodes(): Promise<Map<string, TransferCode>> {
    return Promise.reject(new Error('the simulation has no transfers'));
  }

  storeTransferCode(): Promise<void> {
    return Promise.reject(new Error('the simulation has no transfers'));
  }

  deleteReceipts(): Promise<void> {
    return Promise.reject(new Error('no receipt expires in the simulation'));
  }

  private async insertAssets(assets: readonly Asset[]): Promise<void> {
    await this.connection.statement(async () => {
      for (const { id } of assets) {
        await lock(this.connection, id);
        if (this.database.rows.has(id)) throw new Error(`duplicate id ${id}`);
      }
      this.changes.rows.push(...assets);
    });
  }

  markKeyUsed(): Promise<void> {
    return Promise.reject(new Error('the simulation has no keys'));
  }

  noteTime(): Promise<void> {
    return Promise.reject(new Error('the simulation does not store the time'));
  }

  run(): Promise<never> {
    return Promise.reject(new Error('the simulation has no tables of other rooms'));
  }

  async commit(): Promise<void> {
    const { connection } = this;
    const { faults, random } = connection;
    if (random.chance(faults.refusedCommit)) {
      connection.die();
      throw new RetryableError('certification failed');
    }
    if (random.chance(faults.lostCommit)) {
      connection.dieSoon();
      throw new OutcomeUnknownError('COMMIT was lost');
    }
    try {
      await connection.answered(() => this.arrive());
    } catch (error) {
      throw new OutcomeUnknownError('COMMIT was not answered', { cause: error });
    }
    if (random.chance(faults.lostAnswer)) throw new OutcomeUnknownError('the answer was lost');
  }

  private async arrive(): Promise<void> {
    const { connection, database } = this;
    await connection.reach();
    connection.committing = true;
    database.committing++;
    try {
      await this.commitOnServer();
    } finally {
      database.committing--;
    }
  }

  private async commitOnServer(): Promise<void> {
    const { connection, database } = this;
    if (database.rules.visible === 'when durable') await this.sync();
    const { life } = database;
    const count = database.apply(this.changes);
    connection.die();
    if (database.rules.visible === 'when durable') return;
    await connection.time.sleep(connection.syncDelay());
    if (database.life !== life) throw new RetryableError('lost');
    database.makeDurable(count);
  }

  private async sync(): Promise<void> {
    const { connection, database } = this;
    await connection.time.sleep(connection.syncDelay());
    await connection.serverIsAwake();
    if (connection.isLost) throw new RetryableError('lost');
    // In the log but not visible yet: recovery after a crash restores it.
    database.logged = this.changes;
    await connection.time.sleep(connection.delay(VIEW_MS));
    if (connection.isLost) throw new RetryableError('lost');
    database.logged = undefined;
  }

  /** The server rolls back when the connection is lost. */
  rollback(): Promise<void> {
    if (!this.connection.isGivenUp) this.connection.die();
    return Promise.resolve();
  }
}

function toRead(asset: Asset | undefined): ReadAsset | undefined {
  return asset && { ...asset, body: EncodedText.from(Buffer.from(asset.body)) };
}
