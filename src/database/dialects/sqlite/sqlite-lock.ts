import Sqlite from 'embedded-sqlite';
import { makePrivate } from '../../files/private-file.js';
import { DatabaseUnusableError } from '../dialect.js';
import { codeOf } from '../error-code.js';
import { makeFolderOf, describeSqliteRefusal } from './sqlite-messages.js';

/**
 * Keeps a second service away from a SQLite file, on a file of its own beside it: two would not know of each other's changes. The
 * operating system lets go of it when the process dies, however it dies.
 */
export class SqliteLock {
  private handle: Sqlite.Database | undefined;

  /** @param path of the database's file */
  constructor(readonly path: string) {}

  /** @throws DatabaseUnusableError while another process has it, or where there can be no such file */
  acquire(): void {
    makeFolderOf(this.path);
    // Whoever may read it could hold it, and keep the service from starting.
    makePrivate(`${this.path}.lock`);
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
        `Another process serves ${this.path}, and an SQLite file belongs to one: end that process first, or take a server's database for several`,
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
