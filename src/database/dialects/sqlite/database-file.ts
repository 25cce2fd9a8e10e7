import type Sqlite from 'embedded-sqlite';
import type { Progress } from '../../copy/progress.js';
import { codeOf, isUnreadable } from '../error-code.js';
import { digestOf, readDigest, writeDigest } from './backup-digest.js';

const PAGES_A_STEP = 2_000;

/** A database that is one file, as commands copy and rewrite it as a whole. */
export class DatabaseFile {
  /** @param name for people */
  constructor(
    private readonly handle: Sqlite.Database,
    private readonly name: string,
  ) {}

  /**
   * Copies it as it is in the transaction that is open, which is quicker than row by row: without a snapshot SQLite begins again whenever
   * somebody writes, and may never come to an end.
   */
  async copyTo(path: string, progress: Progress): Promise<void> {
    progress.begin('copy pages', Number(this.handle.pragma('page_count', { simple: true })));
    const { totalPages } = await this.handle.backup(path, {
      progress: ({ totalPages: pages, remainingPages }) => {
        progress.reach(pages - remainingPages);
        return PAGES_A_STEP;
      },
    });
    progress.reach(totalPages);
    progress.end();
  }

  /** Leaves one file without companions, as it can be moved and kept. */
  leaveOne(): void {
    this.handle.pragma('wal_checkpoint(TRUNCATE)');
    this.handle.pragma('journal_mode = DELETE');
  }

  /** What is deleted is overwritten from now on. */
  overwriteDeleted(): void {
    this.handle.pragma('secure_delete = ON');
  }

  /**
   * Rewrites it without what was deleted before: the places of rows that were changed still have what stood there.
   * @returns why that could not be done, or undefined
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

  /** Makes it a backup, which carries the digest of what it holds. */
  addDigest(progress: Progress): void {
    writeDigest(this.handle, digestOf(this.handle, progress));
  }

  /**
   * Checks a backup, in addition to `assertIntact`: SQLite does not notice a damaged value.
   * @returns false for one that carries no digest
   * @throws Error when it does not hold what was backed up
   */
  hasRightDigest(progress: Progress): boolean {
    const expected = readDigest(this.handle);
    if (expected === undefined) return false;
    if (digestOf(this.handle, progress) === expected) return true;
    throw new Error(`${this.name} is damaged: its digest differs, so it does not hold what was backed up`);
  }

  /** @throws Error when it is damaged, or cannot be read now */
  assertIntact(): void {
    let found: unknown;
    try {
      found = this.handle.pragma('integrity_check(1)', { simple: true });
    } catch (error) {
      if (!isUnreadable(error)) refuseFile(this.name, 'read', error as Error);
      found = (error as Error).message;
    }
    if (found !== 'ok') throw new Error(`${this.name} is damaged: ${String(found)}`);
  }
}

/** Whoever copies a file looks himself what is wrong with it. Its code stays: it is what a service, and who fills or replaces a file, goes by. */
export function refuseFile(name: string, access: 'read' | 'write', cause: Error): never {
  const told = new Error(`${name} cannot be ${access === 'read' ? 'read' : 'written'}: ${cause.message}`, { cause });
  throw Object.assign(told, { code: codeOf(cause) });
}
