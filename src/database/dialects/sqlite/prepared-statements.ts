import type Sqlite from 'embedded-sqlite';
import { LRUCache } from 'lru-cache';

/** A service has fewer. */
const MAX_STATEMENTS = 250;

/**
 * Bound values that SQLite's planner inspects: it prepares a statement again when such a value changes, which takes longer than most
 * statements. It does not inspect expressions, and a unary plus changes no value or type.
 */
const INSPECTED_VALUES = /(?<=(?:[=<>]|LIMIT) )\?/g;

/** Cache of an SQLite handle's prepared statements, by their texts. */
export class PreparedStatements {
  private readonly handle: Sqlite.Database;
  private readonly statements: LRUCache<string, Sqlite.Statement>;

  /** @param most statements in the cache, which drops the least recently used */
  constructor(handle: Sqlite.Database, most = MAX_STATEMENTS) {
    this.handle = handle;
    this.statements = new LRUCache({ max: most });
  }

  /** @returns the rows, or `{}` for a statement without rows @throws the driver's error */
  run(sql: string, values: readonly unknown[]): unknown {
    const statement = this.prepare(sql);
    if (statement.reader) return statement.all(...values);
    statement.run(...values);
    return {};
  }

  /** @throws the driver's error for invalid SQL */
  prepare(sql: string): Sqlite.Statement {
    const cached = this.statements.get(sql);
    if (cached !== undefined) return cached;
    const statement = this.handle.prepare(sql.replaceAll(INSPECTED_VALUES, '+?'));
    this.statements.set(sql, statement);
    return statement;
  }
}
