import { heldUpIn } from './dialects/error-code.js';
import { Trouble } from './trouble.js';

/** Nobody is asked: the statement needs a table that somebody holds. */
export class TableHeldError extends Error {}

/** What a look has shown; `unknown` where it was not answered. */
export type TableState = 'held' | 'free' | 'unknown';
/** Runs a statement that changes nothing, to see whether it waits in vain for its table. It never fails. */
export type Look = (sql: string) => Promise<TableState>;

/** Whatever is written needs the clock: who holds all tables, as a backup does, holds this one. */
const LANE = 'SELECT 1 FROM feed_clock WHERE 1 = 0 FOR UPDATE';

const PAUSE_MS = 500;
/** After so many looks in a row that were not answered, as where no new connection can be had, a statement has to find out. */
const MOST_UNANSWERED = 12;

/**
 * Tables that somebody holds, as LOCK TABLES does. A statement that has waited in vain has its tables looked at, from beside. What is held is
 * looked at until it is free; so long each statement that needs it is refused at once, and all others go on.
 */
export class HeldTables {
  private readonly trouble = new Trouble('somebody holds tables of the database', 'nobody holds tables any more');
  /** By the look: whether it waits in vain, as far as the first one has shown. Without any, nothing is held. */
  readonly looks = new Map<string, Promise<boolean>>();
  private readonly held = new Set<string>();

  constructor(private readonly lookAt: Look) {}

  /** Which are held, in a clause for an operator; undefined where none is known to be. */
  get why(): string | undefined {
    return this.trouble.why;
  }

  /** An error of any statement: one that has waited in vain did so for a table, or for rows in it. */
  suspect(error: unknown): void {
    const sql = heldUpIn(error);
    if (sql === undefined) return;
    for (const look of [...looksOf(sql), LANE]) if (!this.looks.has(look)) this.looks.set(look, this.begin(look));
  }

  /** Rejects with TableHeldError where a statement would wait in vain; undefined where nothing speaks against it. */
  verdictOn(sql: string): Promise<void> | undefined {
    const verdicts = looksOf(sql).flatMap((look) => this.looks.get(look) ?? []);
    return verdicts.length === 0 ? undefined : refuseIfAny(verdicts);
  }

  /** Resolves when all that is suspected is known to be held or free. @throws TableHeldError where nothing can be written */
  async settled(): Promise<void> {
    await Promise.all(this.looks.values());
    if (this.held.has(LANE)) throw new TableHeldError('Somebody holds what every change needs');
  }

  private async begin(look: string): Promise<boolean> {
    const isHeld = (await this.lookAt(look)) === 'held';
    if (isHeld) void this.follow(look);
    else this.looks.delete(look);
    return isHeld;
  }

  private async follow(look: string): Promise<void> {
    this.held.add(look);
    this.tell();
    for (let unanswered = 0; unanswered < MOST_UNANSWERED;) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
      const state = await this.lookAt(look);
      if (state === 'free') break;
      unanswered = state === 'held' ? 0 : unanswered + 1;
    }
    this.looks.delete(look);
    this.held.delete(look);
    this.tell();
  }

  private tell(): void {
    const tables = new Set(Array.from(this.held, (look) => look.replace(/^.* FROM (\w+) .*$/, '$1')));
    if (tables.size === 0) this.trouble.over();
    else this.trouble.seen(`somebody holds its tables (${[...tables].join(', ')})`);
  }
}

async function refuseIfAny(verdicts: readonly Promise<boolean>[]): Promise<void> {
  if ((await Promise.all(verdicts)).includes(true)) throw new TableHeldError('Somebody holds a table');
}

/** For each table of a statement one that needs the same lock and the same right, and has no rows. */
function looksOf(sql: string): string[] {
  const tables = sql.matchAll(/(?<!\b(?:KEY|FOR)\s)\b(FROM|JOIN|INTO|UPDATE)\s+(\w+)/g);
  const looks = Array.from(tables, ([, word, table]) => {
    const none = `FROM ${table} WHERE 1 = 0`;
    if (word === 'INTO') return `INSERT INTO ${table} SELECT * ${none}`;
    return `SELECT 1 ${none}${/^(?:UPDATE|DELETE)|\bFOR UPDATE\b/.test(sql) ? ' FOR UPDATE' : ''}`;
  });
  return [...new Set(looks)];
}
