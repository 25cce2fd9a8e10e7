import { RetryableError } from '../../src/feed/writing/ledger-store.js';
import type { Random } from '../support/random.js';
import type { SimulatedDatabase } from './simulated-database.js';
import type { VirtualTime } from './virtual-time.js';

/** Probability of each fault per statement or commit. */
export interface Faults {
  /** The connection dies under a statement. */
  lostConnection: number;
  /** COMMIT never arrives; the server notices late that the client is gone. */
  lostCommit: number;
  /** COMMIT is done and its answer is lost. */
  lostAnswer: number;
  /** The server refuses a COMMIT and rolls back. */
  refusedCommit: number;
  /** Something takes seconds. */
  stall: number;
}

export const NO_FAULTS: Faults = { lostConnection: 0, lostCommit: 0, lostAnswer: 0, refusedCommit: 0, stall: 0 };

/** The process at the other end; it receives nothing while frozen. */
export interface Client {
  frozenUntilMs: number;
  isAlive: boolean;
}

const STATEMENT_DEADLINE_MS = 5_500;
const IDLE_TRANSACTION_MS = 5_000;
const LONGEST_STALL_MS = 9_000;
const NOTICED_LATE_MS = 3_000;
const TRAVEL_MS = 0.2;
const SYNC_MS = 2;

/** Both ends of a connection; one statement at a time. */
export class SimulatedConnection {
  isDead = false;
  /** A COMMIT has arrived; it is completed even if the client is gone. */
  committing = false;
  /** The client has abandoned the connection and sends nothing more. */
  isGivenUp = false;
  private readonly life: number;
  private busy = false;

  constructor(
    readonly database: SimulatedDatabase,
    readonly client: Client,
    readonly faults: Faults,
    readonly random: Random,
  ) {
    this.life = database.life;
  }

  get time(): VirtualTime {
    return this.database.time;
  }

  /** The server has lost it, or has crashed since. */
  get isLost(): boolean {
    return this.isDead || !this.database.isUp || this.database.life !== this.life;
  }

  /** @throws RetryableError when the connection is lost before or under the statement */
  async statement<T>(act: () => Promise<T> | T): Promise<T> {
    const { faults, random } = this;
    if (random.chance(faults.lostConnection)) {
      this.dieSoon();
      throw new RetryableError('lost');
    }
    return this.answered(async () => {
      await this.reach();
      const answer = await act();
      if (this.isLost) throw new RetryableError('lost');
      return answer;
    });
  }

  /** The way to the server, and what the server does with what arrives. A process that is killed sends nothing any more. */
  async reach(): Promise<void> {
    this.busy = true;
    await this.time.sleep(this.delay(TRAVEL_MS));
    await this.serverIsAwake();
    if (this.isLost) throw new RetryableError('lost');
  }

  /** Gives the answer at the client's end: when it is awake, or an error when the deadline has passed. */
  async answered<T>(answer: () => Promise<T>): Promise<T> {
    let cancelTimeout: () => void = () => undefined;
    const tooLate = new Promise<never>((_, reject) => {
      cancelTimeout = this.time.after(STATEMENT_DEADLINE_MS, () => {
        this.dieSoon();
        reject(new RetryableError('no answer in time'));
      });
    });
    try {
      return await Promise.race([answer(), tooLate]);
    } finally {
      cancelTimeout();
      this.busy = false;
      await this.clientIsAwake();
    }
  }

  async serverIsAwake(): Promise<void> {
    while (this.time.nowMs < this.database.frozenUntilMs)
      await this.time.sleep(this.database.frozenUntilMs - this.time.nowMs);
  }

  /** A frozen process leaves its transaction idle; the server kills the connection after a time limit. */
  private async clientIsAwake(): Promise<void> {
    const { client, time } = this;
    while (time.nowMs < client.frozenUntilMs) {
      if (client.frozenUntilMs - time.nowMs > IDLE_TRANSACTION_MS) {
        await time.sleep(IDLE_TRANSACTION_MS);
        if (!this.busy) this.die();
      }
      await time.sleep(Math.max(0, client.frozenUntilMs - time.nowMs));
    }
    // A killed process does not continue.
    if (!client.isAlive) await new Promise(() => undefined);
  }

  /** Mostly about `ms`, now and then many times that, rarely a stall. */
  delay(ms: number): number {
    const { random } = this;
    if (random.chance(this.faults.stall)) return random.next() * LONGEST_STALL_MS;
    return -Math.log(1 - random.next()) * ms * (random.chance(0.02) ? 50 : 1);
  }

  syncDelay(): number {
    return this.delay(SYNC_MS);
  }

  /** The server rolls back what was open. */
  die(): void {
    this.isDead = true;
    if (this.database.isUp) this.database.locks.releaseAll(this);
  }

  /** The client has gone; the server finds out later, unless it is busy with a commit. */
  dieSoon(): void {
    this.isGivenUp = true;
    this.time.after(this.random.next() * NOTICED_LATE_MS, () => {
      if (!this.committing) this.die();
    });
  }
}
