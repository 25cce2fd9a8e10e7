import { isPassing, isUnreadable } from '../database/dialects/error-code.js';
import { IndexError } from '../database/search/index-error.js';
import { inodeOf, setAside } from '../database/search/index-place.js';
import { SearchFile } from '../database/search/search-file.js';
import { SearchIndex } from '../database/search/search-index.js';
import { SearchReader } from '../database/search/search-reader.js';
import { logger } from '../logging/logger.js';

const PATIENCE_MS = 2_000;

interface Opened {
  file: SearchFile;
  index: SearchIndex;
  /** Connections that no search uses now. */
  readers: SearchReader[];
}

/**
 * Opens the index's file when it is first needed, and handles its errors. A damaged file is rebuilt, once. Where that fails too, the registry
 * has no search, and everything else works.
 */
export class IndexKeeper {
  private opened: Opened | undefined;
  /** Of the file as it stood there before it was opened last. */
  private inode: bigint | undefined;
  private hasHealed = false;
  /** How long other processes may take with the file. Only before it was tried to open it once nobody is served yet. */
  private patienceMs = PATIENCE_MS;
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
      this.recover(error);
      return undefined;
    } finally {
      // After an error the index may have been closed meanwhile.
      if (this.opened === opened && reader !== undefined) opened.readers.push(reader);
      else reader?.close();
    }
  }

  /** Handles an error of the index. @throws any other error */
  recover(error: unknown): void {
    if (!(error instanceof IndexError)) throw error;
    if (isPassing(error)) {
      logger.warn({ reason: error.code }, 'the search index cannot be written for now');
    } else if (isUnreadable(error) && this.path !== undefined && !this.hasHealed) {
      this.heal(this.path, error);
    } else {
      this.isGivenUp = true;
      this.close();
      logger.warn({ reason: error.code ?? error.message }, 'there is no search: its index cannot be used');
    }
  }

  private heal(path: string, damage: IndexError): void {
    this.close();
    try {
      setAside(path, this.inode, this.patienceMs);
      this.hasHealed = true;
      logger.warn({ reason: damage.code }, 'the search index is damaged: it is built anew');
    } catch (error) {
      this.recover(error);
    }
  }

  private open(): Opened | undefined {
    if (this.opened !== undefined || this.isGivenUp) return this.opened;
    try {
      this.inode = inodeOf(this.path as string);
      const file = SearchFile.open(this.path as string, this.version, this.patienceMs);
      this.opened = { file, index: new SearchIndex(file), readers: [] };
    } catch (error) {
      const hadHealed = this.hasHealed;
      this.recover(error);
      if (!hadHealed && this.hasHealed) return this.open();
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
