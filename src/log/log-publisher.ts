import { Injectable } from '@nestjs/common';
import { checkpointText } from '#tlog';
import { Database } from '../database/database.js';
import type { LogHead } from '../database/entities/log-head.entity.js';
import { saveCheckpoint } from '../database/repositories/log-append.js';
import { Ledger } from '../feed/writing/ledger.js';
import { logger } from '../platform/logging/logger.js';
import { storedCheckpoint } from './checkpoint.js';
import { LogHashes } from './log-hashes.js';
import { LogKeys } from './log-keys.js';
import { Witnesses } from './witnesses.js';

/** Signs checkpoints of the log, has witnesses countersign them, and stores them. */
@Injectable()
export class LogPublisher {
  constructor(
    private readonly keys: LogKeys,
    private readonly hashes: LogHashes,
    private readonly ledger: Ledger,
    private readonly database: Database,
    private readonly witnesses: Witnesses,
  ) {}

  /** Whether a new signature is needed: for another size, epoch or key, or from a witness. */
  isDue({ size, checkpoint }: LogHead, origin: string): boolean {
    const signed = storedCheckpoint(checkpoint);
    if (signed?.size !== size || signed.origin !== origin || !this.keys.haveSigned(origin, signed.note)) return true;
    return this.witnesses.isDue(signed.note);
  }

  /**
   * Signs the head once its entries are durable, and stores the checkpoint.
   * @throws ForkedLogError if the tables differ from what was signed before; the errors of `Ledger.between`
   */
  async publish(head: LogHead, origin: string): Promise<void> {
    // Before reading the entries: a signed entry must survive a crash.
    if (this.database.needsBarrier()) await this.database.flush();
    const { size, checkpoint } = head;
    const tree = this.hashes.tree(size);
    await this.assertUnchanged(head, origin, tree);
    const text = checkpointText({ origin, size, root: await tree.root() });
    const note = await this.witnesses.countersign(this.keys.sign(origin, text), tree, checkpoint ?? '');
    // Another process may have signed the same meanwhile, with a witness that is unreachable from this one.
    const merge = (stored: string | null): string => this.witnesses.withCosignaturesOf(stored ?? '', note);
    await this.ledger.runBetweenBatches((session) => saveCheckpoint(session, this.database.dialect, size, merge));
    this.warnIfRenamed(storedCheckpoint(checkpoint)?.origin ?? origin, origin);
  }

  /** A restore changes the epoch but not the name. A new name means that another key file is used, perhaps by mistake. */
  private warnIfRenamed(was: string, origin: string): void {
    const epoch = was.slice(was.lastIndexOf('/') + 1);
    if (this.keys.originOf(epoch) !== was)
      logger.warn({ was, origin }, 'the log has another name now: clients that verified it consider it another log');
  }

  /** @throws ForkedLogError if the tables differ from what was signed before, LogDamagedError if rows are missing, ApiError 503 */
  async assertUnchanged(head: LogHead, origin: string, tree = this.hashes.tree(head.size)): Promise<void> {
    const signed = storedCheckpoint(head.checkpoint);
    if (signed?.origin !== origin) return;
    const { size, root } = signed;
    const isSame = size <= tree.size && (await tree.root(size)).equals(root);
    if (!isSame) throw new ForkedLogError(size);
  }
}

/** The tables were changed outside of the service. Signing them would create two signed histories. */
export class ForkedLogError extends Error {
  constructor(size: number) {
    super(
      `the first ${size} entries of the log are not those that were signed: nothing is signed until they are repaired; ` +
        'docs/operations/transparency-log.md, "Repair", says what to do',
    );
  }
}
