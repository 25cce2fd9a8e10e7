import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import { isPassing, isUnreadable } from '../database/dialects/error-code.js';
import { IndexError } from '../database/search/index-error.js';
import { inodeOf, setAside } from '../database/search/index-place.js';
import { SearchFile } from '../database/search/search-file.js';
import { SearchIndex } from '../database/search/search-index.js';
import { SearchReader } from '../database/search/search-reader.js';
import { Trouble } from '../database/trouble.js';
import { logger } from '../logging/logger.js';

/** A disk that damages each new index shall not have the registry build one after the other. */
const HEALING_PAUSE_MS = 60_000;

interface Opened {
  file: SearchFile;
  index: SearchIndex;
  /** Connections that no search uses now. */
  readers: SearchReader[];
}

/**
 * Opens the index's file when it is first needed, and handles its errors. A damaged file is rebuilt, after a pause where it was a moment ago.
 * Where it cannot be used, the registry has no search, and everything else works.
 */
export class IndexKeeper {
  private opened: Opened | undefined;
  /** Inode of the index's file before it was opened last. */
  private inode: bigint | undefined;
  private healedMs = -Infinity;
  private restsUntilMs = -Infinity;
  private readonly trouble = new Trouble(
    'the search index cannot be written for now',
    'the search index is written again',
  );
  /** How long other processes may take with the file. Only before it was tried to open it once nobody is served yet. */
  private patienceMs: number = TIME_BUDGETS_MS.searchFileAtStart;
  private isGivenUp: boolean;

  /**
   * @param path of the file; undefined: search is off
   * @param version of the index's contents; a file of another version is rebuilt
   */
  constructor(
    private readonly path: string | undefined,
    private readonly version: string,
  ) {
    this.isGivenUp = path === undefined;
  }

  get isOn(): boolean {
    return !this.isGivenUp;
  }

  /** @returns the index; undefined where there is none @throws never */
  index(): SearchIndex | undefined {
    return this.open()?.index;
  }

  /** Lends a connection for one search. @returns undefined where there is no index, or it failed */
  async reading<T>(work: (reader: SearchReader) => Promise<T>): Promise<T | undefined> {
    const opened = this.open();
    if (opened === undefined) return undefined;
    let reader: SearchReader | undefined;
    try {
      reader = opened.readers.pop() ?? new SearchReader(opened.file.openReader());
      return await work(reader);
    } catch (error) {
      this.recover(error, opened.index);
      return undefined;
    } finally {
      // After an error the index may have been closed meanwhile.
      if (this.opened === opened && reader !== undefined) opened.readers.push(reader);
      else reader?.close();
    }
  }

  /** All that was to be written was. */
  wasWritten(): void {
    this.trouble.over();
  }

  /** Handles an error of the index. @param index that has failed @throws any other error */
  recover(error: unknown, index = this.opened?.index): void {
    if (!(error instanceof IndexError)) throw error;
    // Somebody has met the same before, and it is closed.
    if (index !== this.opened?.index) return;
    if (isPassing(error)) {
      this.trouble.seen(error.code as string);
    } else if ((isUnreadable(error) || isEmptied(error)) && this.path !== undefined) {
      this.heal(this.path, error);
    } else {
      this.isGivenUp = true;
      this.close();
      logger.warn({ reason: error.code ?? error.message }, 'there is no search: its index cannot be used');
    }
  }

  private heal(path: string, damage: IndexError): void {
    this.close();
    const nextMs = this.healedMs + HEALING_PAUSE_MS;
    if (performance.now() < nextMs) {
      this.restsUntilMs = nextMs;
      return logger.warn({ reason: damage.code }, 'the search index is damaged again: it is built anew after a pause');
    }
    try {
      setAside(path, this.inode, this.patienceMs);
      this.healedMs = performance.now();
      logger.warn({ reason: damage.code }, 'the search index is damaged: it is built anew');
    } catch (error) {
      this.recover(error);
    }
  }

  private open(): Opened | undefined {
    if (this.opened !== undefined || this.isGivenUp || performance.now() < this.restsUntilMs) return this.opened;
    try {
      this.inode = inodeOf(this.path as string);
      const file = SearchFile.open(this.path as string, this.version, this.patienceMs);
      this.opened = { file, index: new SearchIndex(file), readers: [] };
    } catch (error) {
      const before = this.healedMs;
      this.recover(error);
      if (this.healedMs !== before) return this.open();
    }
    this.patienceMs = 0;
    return this.opened;
  }

  close(): void {
    const { file, readers = [] } = this.opened ?? {};
    this.opened = undefined;
    for (const reader of readers) reader.close();
    file?.close();
  }
}

/** A file that was cut to nothing is an empty database. Of another version of the registry there would be this table, too. */
function isEmptied({ message }: IndexError): boolean {
  return message === 'no such table: state';
}
