import { Injectable } from '@nestjs/common';
import { bundleOf, hashesAt, type NamedTile, type Opening, printProof, TILE_WIDTH } from '#tlog';
import type { LogEntry } from '../database/entities/log-entry.entity.js';
import { LogReader, type UnloggedInstant } from '../database/readers/log-reader.js';
import { RedactionReader } from '../database/readers/redaction-reader.js';
import { actionNotFound, unavailable } from '../platform/errors/errors.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { Requester } from '../platform/concurrency/semaphore.js';
import { PublicStates } from '../feed/reading/public-states.js';
import { storedCheckpoint, type StoredCheckpoint } from './checkpoint.js';
import { entryText, openingText } from './entry.js';
import { LogDamagedError, LogHashes } from './log-hashes.js';
import { LogKeys } from './log-keys.js';

/** A page of states ends once it exceeds this. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
/** States read together: few, because states and openings may be large. */
const STATES_PER_READ = 16;
/** Each further attempt means that a field was erased meanwhile. */
const MAX_ATTEMPTS = 5;

type EntryWithoutOpening = Omit<LogEntry, 'opening'>;

/** An entry and its state. */
export interface ShownEntry {
  entry: LogEntry;
  /** Undefined if the state was tampered with or deleted. */
  asset: ReadAsset | undefined;
}

interface ShownEntries {
  size: number;
  shown: ShownEntry[];
  /** Changes that are not in the log: the database was changed outside of the service. */
  unlogged: UnloggedInstant[];
}

/** Reads the signed part of the log. */
@Injectable()
export class LogService {
  constructor(
    private readonly log: LogReader,
    private readonly redactions: RedactionReader,
    private readonly hashes: LogHashes,
    private readonly states: PublicStates,
    private readonly keys: LogKeys,
  ) {}

  /**
   * The newest checkpoint.
   * @param epoch undefined for the current one
   * @throws ApiError 404 for an epoch other than the current one, 503 before the first checkpoint and while the database is away
   */
  async checkpoint(epoch?: string): Promise<StoredCheckpoint> {
    const signed = await this.findCheckpoint(epoch);
    if (signed === undefined) throw unavailable('log_behind', 'The log has no checkpoint yet: try again soon');
    return signed;
  }

  /** Undefined before the first checkpoint of this log; one of another epoch or name does not count. */
  private async findCheckpoint(epoch?: string): Promise<StoredCheckpoint | undefined> {
    const head = await this.log.head();
    if (epoch !== undefined && epoch !== head.epoch) throw actionNotFound();
    const signed = storedCheckpoint(head.checkpoint);
    return signed?.origin === this.keys.originOf(head.epoch) ? signed : undefined;
  }

  /** A tile of hashes, or a bundle of entries (C2SP tlog-tiles). @throws ApiError 404 if it is not in a signed tree, 503 */
  async tile({ level, number, width }: NamedTile, epoch?: string): Promise<Buffer> {
    const { size } = await this.checkpoint(epoch);
    const from = number * TILE_WIDTH;
    if (from + width > hashesAt(level ?? 0, size)) throw actionNotFound();
    if (level === undefined) return bundleOf((await this.entriesFrom(from, width)).map(entryText));
    return Buffer.concat(await this.hashes.read(level, from, width).catch(toNotFound));
  }

  private async entriesFrom(from: number, count: number): Promise<EntryWithoutOpening[]> {
    const entries = await this.log.entriesWithoutOpenings(from, count);
    return entries.length === count ? entries : toNotFound(new LogDamagedError(0, from, count));
  }

  /** Entries of the signed log from a place on. @throws ApiError 503, also if the caller has gone */
  async page(from: number, limit: number, caller: Requester, epoch?: string): Promise<ShownEntries> {
    const { size } = await this.checkpoint(epoch);
    let erasedUs = await this.redactions.newestUs();
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const page = await this.pageOf(size, from, limit, caller);
      const newestUs = await this.redactions.newestUs();
      // An opening was read before its state, so no erasure may lie between the two.
      if (newestUs === erasedUs) return page;
      erasedUs = newestUs;
    }
    throw unavailable('changed_meanwhile');
  }

  private async pageOf(size: number, from: number, limit: number, caller: Requester): Promise<ShownEntries> {
    const end = Math.min(from + limit, size);
    const shown: ShownEntry[] = [];
    const unlogged: UnloggedInstant[] = [];
    let left = MAX_PAGE_BYTES;
    for (let place = from; place < end && left > 0; place += STATES_PER_READ) {
      const entries = await this.log.entries(place, Math.min(STATES_PER_READ, end - place));
      const changes = await this.log.unlogged(entries);
      for await (const one of this.states.of(entries, caller)) {
        shown.push(one);
        unlogged.push(...changes.filter((change) => change.place === one.entry.place));
        left -= one.entry.opening.length + (one.asset?.body.length ?? 0);
        if (left <= 0) break;
      }
    }
    return { size, shown, unlogged };
  }

  /** A tlog-proof of a state. @throws ApiError 503 until a checkpoint covers it, or while the database is away */
  async proof({ modifiedUs }: Pick<ReadAsset, 'modifiedUs'>): Promise<string> {
    const { size, note } = await this.checkpoint();
    const entry = await this.log.entryAt(modifiedUs);
    if (entry === undefined || entry.place >= size)
      throw unavailable('log_behind', 'The state is not in the log yet: try again soon');
    const opening = JSON.parse(openingText(entry)) as Opening | null;
    const hashes = await this.hashes.tree(size).inclusionProof(entry.place);
    return printProof({ entry: entryText(entry), opening, place: entry.place, hashes, checkpoint: note });
  }

  /** The place in the log of the state that began at an instant; undefined until a checkpoint covers it. @throws ApiError 503 */
  async placeOf(modifiedUs: number): Promise<number | undefined> {
    const { size = 0 } = (await this.findCheckpoint()) ?? {};
    const place = (await this.log.entryAt(modifiedUs))?.place;
    return place !== undefined && place < size ? place : undefined;
  }
}

/** Answers 404 for rows that were deleted outside of the service. */
function toNotFound(error: unknown): never {
  throw error instanceof LogDamagedError ? actionNotFound() : error;
}
