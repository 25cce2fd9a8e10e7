import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { commitmentOf, filledTiles, leafHash, SECRET_BYTES, TILE_WIDTH } from '#tlog';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { Database } from '../database/database.js';
import type { LogEntry } from '../database/entities/log-entry.entity.js';
import type { LogHead } from '../database/entities/log-head.entity.js';
import type { LogNode } from '../database/entities/log-node.entity.js';
import { appendToLog } from '../database/repositories/log-append.js';
import { type PublicState, PublicStates, type StatesInOrder } from '../feed/reading/public-states.js';
import { Ledger } from '../feed/writing/ledger.js';
import { logger } from '../platform/logging/logger.js';
import { StatePrinter } from './state-printer.js';
import { entryText } from './entry.js';
import { LogHashes } from './log-hashes.js';

/** Yields to the event loop after this time, because hashing large states is slow. */
const YIELD_AFTER_MS = 5;

/** Creates entries from states, and appends them in the ledger's lane. */
@Injectable()
export class LogBuilder {
  constructor(
    private readonly states: PublicStates,
    private readonly ledger: Ledger,
    private readonly database: Database,
    private readonly hashes: LogHashes,
    private readonly printer: StatePrinter,
  ) {}

  /**
   * Lists the states missing from the log, in the order of the feed.
   * @param untilUs the log has all states up to here, in microseconds
   * @param settledUs the last instant to include; it must be settled
   * @throws ApiError 503
   */
  missing(untilUs: number, settledUs: number): Promise<StatesInOrder> {
    return this.states.between(untilUs, settledUs);
  }

  /**
   * Appends the next states, up to the end of a tile, so that most tiles are filled by one transaction without reading entries again.
   * @returns the new head; undefined if another process was first, or a field was erased meanwhile
   * @throws ApiError 503, and the errors of `Ledger.between`
   */
  async append(head: LogHead, missing: StatesInOrder): Promise<LogHead | undefined> {
    const entries = await this.nextEntries(head.size, missing);
    const last = entries.at(-1);
    if (last === undefined) return head;
    const nodes = await this.filledBy(entries, head.size);
    const untilUs = missing.remaining === 0 ? missing.settledUs : last.modifiedUs;
    const append = { size: head.size, entries, nodes, untilUs, readUs: missing.settledUs };
    const isFirst = await this.ledger.runBetweenBatches((session) =>
      appendToLog(session, this.database.dialect, append),
    );
    const { id, checkpoint } = head;
    return isFirst ? { id, size: head.size + entries.length, untilUs, checkpoint } : undefined;
  }

  /** @param size of the log */
  private async nextEntries(size: number, missing: StatesInOrder): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    const count = Math.min(missing.remaining, TILE_WIDTH - (size % TILE_WIDTH));
    // One call for all, because the system's random source dominates the cost of a secret.
    const secrets = randomBytes(SECRET_BYTES * count);
    let beganMs = performance.now();
    for await (const state of this.states.read(missing, count)) {
      const from = SECRET_BYTES * entries.length;
      const secret = secrets.subarray(from, from + SECRET_BYTES);
      entries.push(this.entryOf(state, size + entries.length, secret));
      if (performance.now() - beganMs < YIELD_AFTER_MS) continue;
      await setImmediate();
      beganMs = performance.now();
    }
    return entries;
  }

  /** @returns the hashes of the tiles that these entries fill */
  private async filledBy(entries: readonly LogEntry[], size: number): Promise<LogNode[]> {
    const leaves = entries.map((entry) => leafHash(entryText(entry)));
    const filled = await filledTiles(this.hashes.read, size, leaves);
    return filled.map(({ level, place, hash }) => ({ level, place, hash: hash.toString('base64') }));
  }

  /** @param secret used for this entry only */
  private entryOf({ id, modifiedUs, asset }: PublicState, place: number, secret: Buffer): LogEntry {
    const opening = JSON.stringify({ secret: secret.toString('base64') });
    const createdUs = asset?.createdUs ?? modifiedUs;
    const commitment = asset && this.commitmentOf(asset, secret);
    if (commitment === undefined) {
      logger.error(
        { asset: id, modifiedUs },
        'a state is recorded in the log without a commitment, because its stored data is damaged',
      );
      return { place, asset: id, createdUs, modifiedUs, commitment: null, opening };
    }
    return { place, asset: id, createdUs, modifiedUs, commitment, opening };
  }

  /** @returns undefined if the state was tampered with: it is not JSON, or nested too deep */
  private commitmentOf(asset: ReadAsset, secret: Buffer): string | undefined {
    const printed = this.printer.parsed(asset);
    try {
      return printed && commitmentOf(printed, secret);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}
