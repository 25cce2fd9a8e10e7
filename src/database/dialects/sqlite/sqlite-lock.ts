import Sqlite from 'embedded-sqlite';
import { ensurePrivateFile } from '../../files/private-file.js';
import { DatabaseUnusableError } from '../dialect.js';
import { codeOf } from '../error-code.js';
import { createFolderOf, describeSqliteRefusal } from './sqlite-messages.js';

/**
 * Allows only one service per SQLite file, by a lock on a separate file: two services would not see each other's changes. The operating
 * system releases the lock when the process ends in any way.
 */
export class SqliteLock {
  private handle: Sqlite.Database | undefined;

  /** @param path of the database's file */
  constructor(readonly path: string) {}

  /** @throws DatabaseUnusableError while another process has the lock, or if the lock file cannot be created */
  acquire(): void {
    createFolderOf(this.path);
    // Private, because any user who can read the file could lock it and so stop the service from starting.
    ensurePrivateFile(`${this.path}.lock`);
    try {
      this.handle = new Sqlite(`${this.path}.lock`, { timeout: 0 });
      this.handle.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.release();
      throw this.describeRefusal(error);
    }
  }

  private describeRefusal(error: unknown): unknown {
    if (codeOf(error) === 'SQLITE_BUSY')
      return new DatabaseUnusableError(
        `Another process serves ${this.path}, and an SQLite file allows only one: end that process first, or use a database server for several`,
        { cause: error },
      );
    const refusal = describeSqliteRefusal(`${this.path}.lock`, error);
    return refusal === undefined ? error : new DatabaseUnusableError(`DATABASE_URL: ${refusal}`, { cause: error });
  }

  release(): void {
    this.handle?.close();
    this.handle = undefined;
  }
}
