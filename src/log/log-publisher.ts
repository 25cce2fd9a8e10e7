import { Injectable } from '@nestjs/common';
import { checkpointText } from '#tlog';
import { Database } from '../database/database.js';
import type { LogHead } from '../database/entities/log-head.entity.js';
import { saveCheckpoint } from '../database/repositories/log-append.js';
import { Ledger } from '../feed/writing/ledger.js';
import { logger } from '../platform/logging/logger.js';
import { keptCheckpoint } from './checkpoint.js';
import { LogHashes } from './log-hashes.js';
import { LogKeys } from './log-keys.js';
import { Witnesses } from './witnesses.js';

/** Signs checkpoints of the log, has witnesses countersign them, and keeps them. */
@Injectable()
export class LogPublisher {
  constructor(
    private readonly keys: LogKeys,
    private readonly hashes: LogHashes,
    private readonly ledger: Ledger,
    private readonly database: Database,
    private readonly witnesses: Witnesses,
  ) {}

  /** Whether there is something to sign: another size, history or key, or a witness that has not signed. */
  isDue({ size, checkpoint }: LogHead, origin: string): boolean {
    const signed = keptCheckpoint(checkpoint);
    if (signed?.size !== size || signed.origin !== origin || !this.keys.haveSigned(origin, signed.note)) return true;
    return this.witnesses.isDue(signed.note);
  }

  /**
   * Signs the head, once all that it counts is durable, and keeps what it signed.
   * @throws ForkedLogError when the tables do not hold what was signed before; what `Ledger.between` throws
   */
  async publish(head: LogHead, origin: string): Promise<void> {
    // Whoever has a signature must find the entries after a crash, too: nothing of them is read before.
    if (this.database.needsBarrier()) await this.database.flush();
    const { size, checkpoint } = head;
    const tree = this.hashes.tree(size);
    await this.assertHolds(head, origin, tree);
    const text = checkpointText({ origin, size, root: await tree.root() });
    const note = await this.witnesses.countersign(this.keys.sign(origin, text), tree, checkpoint ?? '');
    // Another process may have signed the same meanwhile, and a witness that is away to this one.
    const toKeep = (kept: string | null): string => this.witnesses.withThoseOf(kept ?? '', note);
    await this.ledger.between((session) => saveCheckpoint(session, this.database.dialect, size, toKeep));
    this.tellOtherName(keptCheckpoint(checkpoint)?.origin ?? origin, origin);
  }

  /** A restore begins another epoch, and keeps the name. Another one is that of another key file, perhaps by mistake. */
  private tellOtherName(was: string, origin: string): void {
    const epoch = was.slice(was.lastIndexOf('/') + 1);
    if (this.keys.originOf(epoch) !== was)
      logger.warn({ was, origin }, 'the log has another name now: who has verified it takes it for another log');
  }

  /** @throws ForkedLogError when the tables do not hold what was signed before, LogDamagedError when they lack some of it, ApiError 503 */
  async assertHolds(head: LogHead, origin: string, tree = this.hashes.tree(head.size)): Promise<void> {
    const signed = keptCheckpoint(head.checkpoint);
    if (signed?.origin !== origin) return;
    const { size, root } = signed;
    const isSame = size <= tree.size && (await tree.root(size)).equals(root);
    if (!isSame) throw new ForkedLogError(size);
  }
}

/** The tables were changed behind the service: to sign them would prove two histories. */
export class ForkedLogError extends Error {
  constructor(size: number) {
    super(
      `the first ${size} entries of the log are not those that were signed: nothing is signed any more; ` +
        'docs/operations/transparency-log.md, "Repair", says what to do',
    );
  }
}
