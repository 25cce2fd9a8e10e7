import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DatabaseUnusableError } from '../dialect.js';
import { codeOf } from '../error-code.js';

/**
 * Keeps a second service away from a SQLite file, on a file of its own beside it: two would not know of each other's changes. The
 * operating system lets go of it when the process dies, however it dies.
 */
export class SqliteLock {
  private handle: Sqlite.Database | undefined;

  /** @param path of the database's file */
  constructor(private readonly path: string) {}

  /** @throws DatabaseUnusableError while another process has it */
  acquire(): void {
    mkdirSync(dirname(this.path), { recursive: true });
    this.handle = new Sqlite(`${this.path}.lock`, { timeout: 0 });
    try {
      this.handle.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.release();
      if (codeOf(error) !== 'SQLITE_BUSY') throw error;
      throw new DatabaseUnusableError(
        `Another process serves ${this.path}: an SQLite file belongs to one; DATABASE_URL takes a server for more`,
        { cause: error },
      );
    }
  }

  release(): void {
    this.handle?.close();
    this.handle = undefined;
  }
}
