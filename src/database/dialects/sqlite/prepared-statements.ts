import type Sqlite from 'embedded-sqlite';
import { LRUCache } from 'lru-cache';

/** More than a service has texts. */
const MAX_STATEMENTS = 250;

/**
 * SQLite's planner looks at a value that is compared, or that is a limit, and prepares the statement anew for each next one: that takes longer
 * than most statements do. It looks at no expression, and a plus changes nothing else, whatever the value is.
 */
const LOOKED_AT = /(?<=(?:[=<>]|LIMIT) )\?/g;

/** The statements of one SQLite handle by their texts, each prepared once. */
export class PreparedStatements {
  private readonly handle: Sqlite.Database;
  private readonly statements: LRUCache<string, Sqlite.Statement>;

  /** @param most that are kept; beyond it the one that was not used for the longest time is prepared anew */
  constructor(handle: Sqlite.Database, most = MAX_STATEMENTS) {
    this.handle = handle;
    this.statements = new LRUCache({ max: most });
  }

  /** @returns the rows; `{}` of a statement that has none @throws the driver's error */
  run(sql: string, values: readonly unknown[]): unknown {
    const statement = this.of(sql);
    if (statement.reader) return statement.all(...values);
    statement.run(...values);
    return {};
  }

  /** @throws the driver's error for a text that is no statement */
  of(sql: string): Sqlite.Statement {
    const kept = this.statements.get(sql);
    if (kept !== undefined) return kept;
    const statement = this.handle.prepare(sql.replaceAll(LOOKED_AT, '+?'));
    this.statements.set(sql, statement);
    return statement;
  }
}
