import { readSync } from 'node:fs';
import Sqlite from 'embedded-sqlite';
import type { Entry } from '../asset-row.js';
import { usOf } from '../instants.js';
import type { Content, Range } from './copy.js';
import { type FileLine, linesIn, linesOf } from './file-lines.js';

const ENTRIES = 10_000;
const AFTER_EVERY_ID = '\u{10ffff}';

/** Position of a line in the file, in bytes. */
type LinePosition = Pick<FileLine, 'at' | 'bytes'>;

/** Maps assets to their last lines, in a temporary database, because there may be millions. */
export class JsonlIndex {
  private readonly database = new Sqlite('');

  private constructor() {
    this.database
      .exec(`CREATE TABLE line (id TEXT NOT NULL PRIMARY KEY, date_modified TEXT, feed_us INTEGER, at INTEGER, bytes INTEGER);
      CREATE INDEX line_feed_us ON line (feed_us, id)`);
  }

  /** Indexes the first `bytes` of a file. */
  static async build(path: string, bytes: number): Promise<JsonlIndex> {
    const index = new JsonlIndex();
    for await (const lines of linesIn(path, bytes)) index.addLines(lines);
    return index;
  }

  /** @param text complete lines @param at their offset in the file, in bytes */
  add(text: string, at: number): void {
    this.addLines(linesOf(text, at));
  }

  get count(): number {
    return this.database.prepare('SELECT COUNT(*) FROM line').pluck().get() as number;
  }

  *entries({ afterUs, upToUs }: Range): Generator<Entry[]> {
    // In a damaged file two lines may have the same instant.
    const select = this.database.prepare(`SELECT id, date_modified AS dateModified, feed_us AS feedUs FROM line
      WHERE (feed_us, id) > (?, ?) AND feed_us <= ? ORDER BY feed_us, id LIMIT ${ENTRIES}`);
    let last = { feedUs: afterUs, id: AFTER_EVERY_ID };
    for (;;) {
      const entries = select.all(last.feedUs, last.id, upToUs) as Entry[];
      if (entries.length > 0) yield entries;
      if (entries.length < ENTRIES) return;
      last = entries.at(-1) as Entry;
    }
  }

  contents({ afterUs, upToUs }: Range, file: number): Content[] {
    const select = this.database
      .prepare(`SELECT id, date_modified AS dateModified, feed_us AS feedUs, at, bytes FROM line
      WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us`);
    const found = select.all(afterUs, upToUs) as (Entry & LinePosition)[];
    return found.map(({ at, bytes, ...entry }) => {
      const document = readText(file, { at, bytes });
      return { ...entry, content: () => document, document };
    });
  }

  find(id: string): Entry | undefined {
    const sql = 'SELECT id, date_modified AS dateModified, feed_us AS feedUs FROM line WHERE id = ?';
    return this.database.prepare(sql).get(id) as Entry | undefined;
  }

  feedUsByIds(ids: readonly string[]): Map<string, number> {
    const sql = 'SELECT id, feed_us FROM line WHERE id IN (SELECT value FROM json_each(?))';
    return new Map(this.database.prepare(sql).raw().all(JSON.stringify(ids)) as [string, number][]);
  }

  feedUsAt({ afterUs, upToUs }: Range, number: number): number | undefined {
    const sql = 'SELECT feed_us FROM line WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us LIMIT 1 OFFSET ?';
    return this.database.prepare(sql).pluck().get(afterUs, upToUs, number) as number | undefined;
  }

  close(): void {
    this.database.close();
  }

  private addLines(lines: readonly FileLine[]): void {
    this.database.transaction(() => {
      for (const line of lines) this.addLine(line);
    })();
  }

  /** A line that cannot be parsed belongs to no asset. */
  private addLine({ text, at, bytes }: FileLine): void {
    const { id, dateModified } = parse(text);
    if (typeof id !== 'string') return;
    const feedUs = usOf(String(dateModified));
    if (Number.isNaN(feedUs)) this.database.prepare('DELETE FROM line WHERE id = ?').run(id);
    else this.database.prepare('REPLACE INTO line VALUES (?, ?, ?, ?, ?)').run(id, dateModified, feedUs, at, bytes);
  }
}

function parse(line: string): { id?: unknown; dateModified?: unknown } {
  try {
    return (JSON.parse(line) ?? {}) as { id?: unknown; dateModified?: unknown };
  } catch {
    return {};
  }
}

function readText(file: number, { at, bytes }: LinePosition): string {
  const buffer = Buffer.alloc(bytes);
  readSync(file, buffer, 0, bytes, at);
  return buffer.toString();
}
