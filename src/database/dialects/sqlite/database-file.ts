import type Sqlite from 'embedded-sqlite';
import type { Progress } from '../../copy/progress.js';
import { codeOf, isUnreadable } from '../error-code.js';
import { digestOf, readDigest, writeDigest } from './backup-digest.js';

const PAGES_PER_STEP = 2_000;

/** Operations on an SQLite file as a whole, for commands. */
export class DatabaseFile {
  /** @param name for messages */
  constructor(
    private readonly handle: Sqlite.Database,
    private readonly name: string,
  ) {}

  /**
   * Copies the file page by page, which is faster than row by row. Call it within a read transaction: otherwise SQLite restarts the copy
   * after each write of another process, and may never end.
   */
  async copyTo(path: string, progress: Progress): Promise<void> {
    progress.begin('copy pages', Number(this.handle.pragma('page_count', { simple: true })));
    const { totalPages } = await this.handle.backup(path, {
      progress: ({ totalPages: pages, remainingPages }) => {
        progress.reach(pages - remainingPages);
        return PAGES_PER_STEP;
      },
    });
    progress.reach(totalPages);
    progress.end();
  }

  /** Merges the WAL into the file, so that the file alone can be moved or archived. */
  mergeWal(): void {
    this.handle.pragma('wal_checkpoint(TRUNCATE)');
    this.handle.pragma('journal_mode = DELETE');
  }

  /** Makes SQLite overwrite deleted content from now on. */
  enableSecureDelete(): void {
    this.handle.pragma('secure_delete = ON');
  }

  /**
   * Rewrites the file without deleted content, which SQLite otherwise leaves in free space.
   * @returns why that failed; undefined if it succeeded
   */
  compact(): string | undefined {
    try {
      this.handle.exec('VACUUM');
      const [checkpoint] = this.handle.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
      return checkpoint?.busy === 0 ? undefined : 'it is being read';
    } catch (error) {
      return (error as Error).message;
    }
  }

  addDigest(progress: Progress): void {
    writeDigest(this.handle, digestOf(this.handle, progress));
  }

  /**
   * Compares a backup with its digest, in addition to `assertIntact`, because SQLite does not notice a damaged value.
   * @returns false if the backup has no digest
   * @throws Error if the digest differs
   */
  checkDigest(progress: Progress): boolean {
    const expected = readDigest(this.handle);
    if (expected === undefined) return false;
    if (digestOf(this.handle, progress) === expected) return true;
    throw new Error(`${this.name} is damaged: its digest differs from that of the data that was backed up`);
  }

  /** @throws Error if the file is damaged or cannot be read now */
  assertIntact(): void {
    let found: unknown;
    try {
      found = this.handle.pragma('integrity_check(1)', { simple: true });
    } catch (error) {
      if (!isUnreadable(error)) rethrowWithName(this.name, 'read', error as Error);
      found = (error as Error).message;
    }
    if (found !== 'ok') throw new Error(`${this.name} is damaged: ${String(found)}`);
  }
}

/** Rethrows an SQLite error with the file's name; keeps its code, by which callers decide. */
export function rethrowWithName(name: string, access: 'read' | 'write', cause: Error): never {
  const refusal = new Error(`${name} cannot be ${access === 'read' ? 'read' : 'written'}: ${cause.message}`, { cause });
  throw Object.assign(refusal, { code: codeOf(cause) });
}
