import { Injectable } from '@nestjs/common';
import { bundleOf, hashesAt, type NamedTile, type Opening, printProof, TILE_WIDTH } from '#tlog';
import type { LogEntry } from '../database/entities/log-entry.entity.js';
import { LogReader, type UnloggedInstant } from '../database/readers/log-reader.js';
import { RedactionReader } from '../database/readers/redaction-reader.js';
import { actionNotFound, unavailable } from '../platform/errors/errors.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import type { Requester } from '../platform/concurrency/semaphore.js';
import { PublicStates } from '../feed/reading/public-states.js';
import { keptCheckpoint, type KeptCheckpoint } from './checkpoint.js';
import { entryText, openingText } from './entry.js';
import { LogDamagedError, LogHashes } from './log-hashes.js';
import { LogKeys } from './log-keys.js';

/** A page of states ends where they take as much. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
/** What opens an entry of which much was erased may be large as well. */
const STATES_AT_ONCE = 16;
/** Of reading a page: each further one means that something was erased meanwhile. */
const ATTEMPTS = 5;

type SaidEntry = Omit<LogEntry, 'opening'>;

/** An entry, with the state that it binds. */
export interface ShownEntry {
  entry: LogEntry;
  /** Undefined where there is none any more. */
  asset: ReadAsset | undefined;
}

interface ShownEntries {
  size: number;
  shown: ShownEntry[];
  /** Somebody has changed the database where there are any. */
  unlogged: UnloggedInstant[];
}

/** Answers from the log: nothing beyond what was signed. */
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
   * The newest one.
   * @param epoch whose log is asked for; undefined: that of the present one
   * @throws ApiError 404 for another epoch than the present one, 503 before the first, and while the database is away
   */
  async checkpoint(epoch?: string): Promise<KeptCheckpoint> {
    const signed = await this.findCheckpoint(epoch);
    if (signed === undefined) throw unavailable('log_behind', 'The log has no checkpoint yet: try again soon');
    return signed;
  }

  /** Undefined before the first: what was signed of another history or name is no checkpoint of this log. */
  private async findCheckpoint(epoch?: string): Promise<KeptCheckpoint | undefined> {
    const head = await this.log.head();
    if (epoch !== undefined && epoch !== head.epoch) throw actionNotFound();
    const signed = keptCheckpoint(head.checkpoint);
    return signed?.origin === this.keys.originOf(head.epoch) ? signed : undefined;
  }

  /** A tile of hashes, or a bundle of entries (C2SP tlog-tiles). @throws ApiError 404 where no signed tree has it, 503 */
  async tile({ level, number, width }: NamedTile, epoch?: string): Promise<Buffer> {
    const { size } = await this.checkpoint(epoch);
    const from = number * TILE_WIDTH;
    if (from + width > hashesAt(level ?? 0, size)) throw actionNotFound();
    if (level === undefined) return bundleOf((await this.entriesFrom(from, width)).map(entryText));
    return Buffer.concat(await this.hashes.read(level, from, width).catch(toNotFound));
  }

  private async entriesFrom(from: number, count: number): Promise<SaidEntry[]> {
    const entries = await this.log.entriesWithoutOpenings(from, count);
    return entries.length === count ? entries : toNotFound(new LogDamagedError(0, from, count));
  }

  /** Entries of the signed log from a place on. Some states at a time, as they may be large. @throws ApiError 503, also where the caller has gone */
  async page(from: number, limit: number, caller: Requester, epoch?: string): Promise<ShownEntries> {
    const { size } = await this.checkpoint(epoch);
    let erasedUs = await this.redactions.newestUs();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const page = await this.pageOf(size, from, limit, caller);
      const newestUs = await this.redactions.newestUs();
      // What opens an entry was read before its state: no erasure may have come between.
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
    for (let place = from; place < end && left > 0; place += STATES_AT_ONCE) {
      const some = await this.log.entries(place, Math.min(STATES_AT_ONCE, end - place));
      const beside = await this.log.unlogged(some);
      for await (const one of this.states.of(some, caller)) {
        shown.push(one);
        unlogged.push(...beside.filter((told) => told.place === one.entry.place));
        left -= one.entry.opening.length + (one.asset?.body.length ?? 0);
        if (left <= 0) break;
      }
    }
    return { size, shown, unlogged };
  }

  /** A tlog-proof of a state. @throws ApiError 503 while no checkpoint has it, or the database is away */
  async proof({ modifiedUs }: Pick<ReadAsset, 'modifiedUs'>): Promise<string> {
    const { size, note } = await this.checkpoint();
    const entry = await this.log.entryAt(modifiedUs);
    if (entry === undefined || entry.place >= size)
      throw unavailable('log_behind', 'The state is not in the log yet: try again soon');
    const opening = JSON.parse(openingText(entry)) as Opening | null;
    const hashes = await this.hashes.tree(size).inclusionProof(entry.place);
    return printProof({ entry: entryText(entry), opening, place: entry.place, hashes, checkpoint: note });
  }

  /** Where the state that began at an instant stands; undefined while it is in no checkpoint. In microseconds. @throws ApiError 503 */
  async placeOf(modifiedUs: number): Promise<number | undefined> {
    const { size = 0 } = (await this.findCheckpoint()) ?? {};
    const place = (await this.log.entryAt(modifiedUs))?.place;
    return place !== undefined && place < size ? place : undefined;
  }
}

/** Rows that were deleted behind the service are not there for who verifies either. */
function toNotFound(error: unknown): never {
  throw error instanceof LogDamagedError ? actionNotFound() : error;
}
