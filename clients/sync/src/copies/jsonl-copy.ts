import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import type { AssetRow, Entry } from '../asset-row.js';
import { SyncError } from '../sync-error.js';
import { checkVersion, type Content, type Copy, type CopyState, type Range } from './copy.js';
import { proveBeginning, writeLines } from './file-lines.js';
import { FileLock } from './file-lock.js';
import { JsonlIndex } from './jsonl-index.js';
import { JsonlLog } from './jsonl-log.js';
import type { LogRow } from './log-row.js';
import { NEXT, replaceFile } from './replace-file.js';

/** Contents of the position file. Lines beyond `bytes` were not committed, and are truncated. */
interface PositionFile extends CopyState {
  bytes: number;
  /** Committed bytes of the log's file; missing in copies of earlier versions. */
  logBytes?: number;
  /** Set while a resynced copy replaces this one: its lines have yet to be renamed. */
  takesPlace?: true;
}

const RESYNC = '.resync';
const POSITION = '.position.json';
const POSITION_BEGINS = '{"schemaVersion":';
const LOG = '.log.jsonl';

/** A copy as JSON lines, to which changes are appended: the last line of an asset is its current state. */
export class JsonlCopy implements Copy {
  private file: number | undefined;
  private bytes = 0;
  private index: JsonlIndex | undefined;
  private readonly log: JsonlLog;

  private constructor(
    private readonly path: string,
    private isResync: boolean,
    private readonly lock: FileLock | undefined,
  ) {
    this.log = new JsonlLog(path + LOG, 0);
  }

  /** Opens it for writing. @throws SyncError while another runner has it open */
  static open(path: string, isResync: boolean): JsonlCopy {
    const lock = FileLock.acquire(path);
    const copy = new JsonlCopy(path, isResync, lock);
    try {
      copy.log.proveOwnership();
      for (const lines of [path, path + RESYNC]) proveBeginning(lines + POSITION + NEXT, POSITION_BEGINS);
      copy.completeSwap();
      return copy;
    } catch (error) {
      copy.log.close();
      lock.release();
      throw error;
    }
  }

  /** Opens it for reading, also while a runner writes. */
  static openToRead(path: string, isResync: boolean): JsonlCopy {
    return new JsonlCopy(path, isResync, undefined);
  }

  async readState(): Promise<CopyState | undefined> {
    const stored = readPositionFile(this.lines);
    const size = existsSync(this.lines) ? statSync(this.lines).size : 0;
    if (stored === undefined) {
      if (size > 0) throw new SyncError(`${this.lines} contains data that is not of a copy`);
      return undefined;
    }
    const { bytes, logBytes = 0, ...others } = stored;
    // Copies of earlier versions lack these members.
    const state = {
      ...others,
      filter: others.filter ?? null,
      follows: others.follows ?? null,
      logPlace: others.logPlace ?? null,
    };
    checkVersion(state, this.path);
    this.bytes = bytes;
    if (!this.isResync) this.log.bytes = logBytes;
    if (this.lock !== undefined) this.cutTo(bytes, size);
    return state;
  }

  async begin(state: CopyState): Promise<void> {
    if (this.file !== undefined) closeSync(this.file);
    this.bytes = 0;
    this.log.bytes = 0;
    // Written first, because lines without a position file are refused as foreign.
    this.writeState(state);
    this.file = openSync(this.lines, 'w+');
  }

  async write(rows: readonly AssetRow[], state: CopyState): Promise<void> {
    this.append(rows.map((row) => `${this.contentOf(row)}\n`).join(''));
    this.writeState(state);
  }

  async remove(ids: readonly string[], state: CopyState): Promise<void> {
    this.append(ids.map((id) => `${JSON.stringify({ id, removed: true })}\n`).join(''));
    this.writeState(state);
  }

  async finish(state: CopyState): Promise<void> {
    if (this.isResync) {
      replaceFile(this.path + POSITION, JSON.stringify({ ...state, bytes: this.bytes, takesPlace: true }));
      this.completeSwap();
      this.isResync = false;
      // Lines beyond the log's committed bytes may contain erased fields.
      this.log.cut();
    }
    this.writeState(state);
  }

  async count(): Promise<number> {
    return (await this.indexed()).count;
  }

  async *entries(range: Range): AsyncGenerator<Entry[]> {
    yield* (await this.indexed()).entries(range);
  }

  /** A line break in JSON is whitespace between tokens, from a registry that pretty-prints. */
  contentOf({ document }: AssetRow): string {
    return /[\r\n]/.test(document) ? document.replaceAll(/[\r\n]/g, ' ') : document;
  }

  async contents(range: Range): Promise<Content[]> {
    return (await this.indexed()).contents(range, this.opened());
  }

  async findEntry(id: string): Promise<Entry | undefined> {
    return (await this.indexed()).find(id);
  }

  async feedUsByIds(ids: readonly string[]): Promise<Map<string, number>> {
    return (await this.indexed()).feedUsByIds(ids);
  }

  async writeLog(rows: readonly LogRow[], state: CopyState): Promise<void> {
    this.log.append(rows);
    this.writeState(state);
  }

  logRows(from: number, upTo: number): Promise<LogRow[]> {
    return this.log.rows(from, upTo);
  }

  logPlaces(id: string): Promise<number[]> {
    return this.log.places(id);
  }

  async feedUsAt(range: Range, number: number): Promise<number | undefined> {
    return (await this.indexed()).feedUsAt(range, number);
  }

  async close(): Promise<void> {
    if (this.file !== undefined) closeSync(this.file);
    this.index?.close();
    this.log.close();
    this.lock?.release();
  }

  /** Truncates uncommitted lines. */
  private cutTo(bytes: number, size: number): void {
    if (size < bytes)
      throw new SyncError(`${this.lines} is damaged: it has ${size} bytes and had ${bytes}. --resync makes a new copy`);
    this.file = openSync(this.lines, 'r+');
    ftruncateSync(this.file, bytes);
    if (!this.isResync) this.log.cut();
  }

  private get lines(): string {
    return this.isResync ? this.path + RESYNC : this.path;
  }

  private opened(): number {
    this.file ??= openSync(this.lines, 'r');
    return this.file;
  }

  private async indexed(): Promise<JsonlIndex> {
    this.index ??= await JsonlIndex.build(this.lines, this.bytes);
    return this.index;
  }

  private append(text: string): void {
    if (text === '') return;
    const buffer = Buffer.from(text);
    writeLines(this.lines, this.opened(), buffer, this.bytes);
    this.index?.add(text, this.bytes);
    this.bytes += buffer.length;
  }

  private writeState(state: CopyState): void {
    replaceFile(this.lines + POSITION, JSON.stringify({ ...state, bytes: this.bytes, logBytes: this.log.bytes }));
  }

  /** Renames the resynced copy to the copy's name. Run at opening too, because a previous run may have been interrupted here. */
  private completeSwap(): void {
    const stored = readPositionFile(this.path);
    if (stored?.takesPlace === undefined) return;
    if (existsSync(this.path + RESYNC)) renameSync(this.path + RESYNC, this.path);
    const { takesPlace: _, ...state } = stored;
    replaceFile(this.path + POSITION, JSON.stringify(state));
    rmSync(this.path + RESYNC + POSITION, { force: true });
  }
}

function readPositionFile(lines: string): PositionFile | undefined {
  const path = lines + POSITION;
  if (!existsSync(path)) return undefined;
  const stored = parsed(path);
  const { schemaVersion, bytes, epoch, position } = Object(stored) as Partial<PositionFile>;
  const isOurs = Number.isSafeInteger(schemaVersion) && typeof epoch === 'string' && typeof position === 'string';
  if (!isOurs || !Number.isSafeInteger(bytes) || Number(bytes) < 0) throw new SyncError(`${path} is not of a copy`);
  return stored as PositionFile;
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SyncError(`${path} is damaged: ${(error as Error).message}`, undefined, { cause: error });
  }
}
