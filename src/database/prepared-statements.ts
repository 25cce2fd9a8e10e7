import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/** The statements of one SQLite handle by their texts, each prepared once. */
export class PreparedStatements {
  private readonly statements: LRUCache<string, Sqlite.Statement>;

  /** @param most that are kept; beyond it the one that was not used for the longest time is prepared anew */
  constructor(
    private readonly handle: Sqlite.Database,
    most: number,
  ) {
    this.statements = new LRUCache({ max: most });
  }

  /** @throws the driver's error for a text that is no statement */
  of(sql: string): Sqlite.Statement {
    const kept = this.statements.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.handle.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}
