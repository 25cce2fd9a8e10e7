import { closeSync, existsSync, ftruncateSync, openSync, readSync, statSync } from 'node:fs';
import type { LoggedState } from 'asset-registry-client';
import { readEntry } from 'asset-registry-tlog';
import Sqlite from 'embedded-sqlite';
import { SyncError } from '../sync-error.js';
import { linesIn, proveBeginning, writeLines } from './file-lines.js';
import { type LogRow, logRowOf } from './log-row.js';

const LINE_BEGINS = '{"place":';

/** The log of a copy in JSON lines, in a separate file: the last line with an index is the entry with its state. */
export class JsonlLog {
  private file: number | undefined;
  /** Maps indexes to their last lines, in a temporary database, because there may be millions. */
  private index: Sqlite.Database | undefined;

  /** @param bytes committed bytes */
  constructor(
    private readonly path: string,
    public bytes: number,
  ) {}

  /** @throws SyncError if the file is not ours */
  proveOwnership(): void {
    proveBeginning(this.path, LINE_BEGINS);
  }

  /** Truncates uncommitted lines. @throws SyncError if committed ones are missing */
  cut(): void {
    const size = existsSync(this.path) ? statSync(this.path).size : 0;
    if (size < this.bytes)
      throw new SyncError(
        `${this.path} is damaged: it has ${size} bytes and had ${this.bytes}. --resync makes a new copy`,
      );
    if (size > this.bytes) ftruncateSync(this.opened(), this.bytes);
  }

  append(rows: readonly LogRow[]): void {
    const lines = rows.map((row) => ({ row, line: Buffer.from(lineOf(row)) }));
    const text = Buffer.concat(lines.map(({ line }) => line));
    writeLines(this.path, this.opened(), text, this.bytes);
    for (const { row, line } of lines) {
      if (this.index !== undefined) addTo(this.index, row, this.bytes, line.length);
      this.bytes += line.length;
    }
  }

  async rows(from: number, upTo: number): Promise<LogRow[]> {
    const sql = 'SELECT at, bytes FROM line WHERE place >= ? AND place < ? ORDER BY place';
    const found = (await this.indexed()).prepare(sql).all(from, upTo) as { at: number; bytes: number }[];
    return found.map(({ at, bytes }) => {
      const line = Buffer.alloc(bytes);
      readSync(this.opened(), line, 0, bytes, at);
      return rowOf(line.toString());
    });
  }

  async places(id: string): Promise<number[]> {
    const sql = 'SELECT place FROM line WHERE id = ? ORDER BY place';
    return (await this.indexed()).prepare(sql).pluck().all(id) as number[];
  }

  close(): void {
    if (this.file !== undefined) closeSync(this.file);
    this.index?.close();
  }

  private opened(): number {
    this.file ??= openSync(this.path, existsSync(this.path) ? 'r+' : 'w+');
    return this.file;
  }

  private async indexed(): Promise<Sqlite.Database> {
    if (this.index !== undefined) return this.index;
    const index = new Sqlite('');
    index.exec(
      'CREATE TABLE line (place INTEGER PRIMARY KEY, id TEXT, at INTEGER, bytes INTEGER); CREATE INDEX line_id ON line (id)',
    );
    index.exec('BEGIN');
    for await (const lines of linesIn(this.path, this.bytes))
      for (const { text, at, bytes } of lines) addTo(index, rowOf(text), at, bytes);
    index.exec('COMMIT');
    this.index = index;
    return index;
  }
}

/** The line as the registry serves it. */
function lineOf({ place, entry, opening, document }: LogRow): string {
  return `${LINE_BEGINS}${place},"entry":${JSON.stringify(entry)},"opening":${opening},"asset":${document}}\n`;
}

function rowOf(line: string): LogRow {
  const { entry: text, ...state } = JSON.parse(line) as Omit<LoggedState, 'entry' | 'text'> & { entry: string };
  return logRowOf({ ...state, text, entry: readEntry(text) });
}

function addTo(index: Sqlite.Database, { place, id }: LogRow, at: number, bytes: number): void {
  index.prepare('REPLACE INTO line VALUES (?, ?, ?, ?)').run(place, id, at, bytes);
}
