import { randomInt } from 'node:crypto';
import { IndexError } from './index-error.js';
import type { IndexedAsset, IndexPosition } from './indexed-asset.js';
import { partOf, tableOf } from './parts.js';
import type { SearchFile } from './search-file.js';
import { type CountedEntry, countedOf, facetOf, Tallies } from './tallies.js';

const FORMER_SQL = `SELECT seq, status, type, regions, currency, amount, created_day AS createdDay, changed_day AS changedDay
  FROM detail JOIN entry USING (seq) JOIN facet ON facet.number = entry.facet WHERE id = ?`;

/**
 * A merge that goes on a little with each transaction, in pages: left to itself, SQLite would merge now and then, for tens of milliseconds.
 */
const MERGED_PAGES = 16;
/** The mark of a file that has nothing of what was deleted, and the bound of the others: SQLite keeps 32 bits. */
const NOT_EMPTIED = 0;
const MOST_EMPTIED = 2 ** 31;

/** Keeps the index. Position and entries are written in one transaction, so nothing is taken in twice and nothing is left out. */
export class SearchIndex {
  constructor(private readonly file: SearchFile) {}

  /** @throws IndexError when a process with another version of the registry, or other asset types, has taken the file over */
  position(): IndexPosition {
    const emptied = this.emptied();
    if (emptied !== NOT_EMPTIED && this.file.shrink())
      this.file.write(() => {
        // Another process may have emptied it again.
        if (this.emptied() === emptied) this.markEmptied(NOT_EMPTIED);
      });
    return this.readPosition();
  }

  /** Which emptying has left what was deleted in the file. It says so itself, as who has emptied it may be killed before it is made smaller. */
  private emptied(): number | undefined {
    return this.file.values<number>('PRAGMA user_version')[0];
  }

  private markEmptied(which: number): void {
    this.file.run(`PRAGMA user_version = ${which}`);
  }

  private readPosition(): IndexPosition {
    const [state] = this.file.rows<IndexPosition & { version: string }>('SELECT epoch, us, version FROM state');
    const { version, ...position } = state as IndexPosition & { version: string };
    if (version !== this.file.version)
      throw new IndexError(new Error('Another version of the registry has taken it over'));
    return position;
  }

  /** Empties it for another history. @returns false when another process was first */
  begin(from: IndexPosition, epoch: string): boolean {
    return this.writeAt(from, () => this.empty(epoch));
  }

  private empty(epoch: string): void {
    for (const { number } of this.file.rows<{ number: number }>('SELECT number FROM part'))
      this.file.run(`DROP TABLE ${tableOf(number)}`);
    for (const table of ['part', 'entry', 'detail', 'facet', 'region', 'tally']) this.file.run(`DELETE FROM ${table}`);
    this.file.run('UPDATE state SET epoch = ?, us = -1, next_seq = 1', epoch);
    this.markEmptied(randomInt(NOT_EMPTIED + 1, MOST_EMPTIED));
  }

  /**
   * Takes in a page of the feed that was read from there on, the oldest change first.
   *
   * What was erased of an asset stands in the segments of the full-text index for as long as SQLite does not merge them, and in pages that
   * are free. So the index is emptied, and built anew without it.
   * @returns false when another process was first, or it had to be emptied: nothing is written then
   */
  add(from: IndexPosition, assets: readonly IndexedAsset[]): boolean {
    if (assets.some((asset) => this.hasErased(asset))) {
      this.begin(from, from.epoch);
      return false;
    }
    return this.writeAt(from, () => {
      const tallies = new Tallies();
      const touched = new Map<number, number>();
      const count = (part: number, more: number): unknown => touched.set(part, (touched.get(part) ?? 0) + more);
      for (const { id } of assets) {
        const former = this.remove(id, tallies);
        if (former !== undefined) count(partOf(former), -1);
      }
      let seq = this.nextSeq();
      for (const asset of assets) {
        const part = partOf(seq);
        if (this.file.rows('SELECT 1 FROM part WHERE number = ?', part).length === 0) this.addPart(part);
        this.insert(seq++, asset, tallies);
        count(part, 1);
      }
      const current = partOf(seq);
      count(current - 1, 0);
      for (const [part, more] of touched) this.settlePart(part, more, current);
      tallies.writeTo(this.file);
      this.file.run('UPDATE state SET us = ?, next_seq = ?', BigInt(assets.at(-1)?.modifiedUs ?? from.us), seq);
    });
  }

  /** Whether it still has the asset as it was before the erasure. */
  private hasErased({ id, erasedUs }: IndexedAsset): boolean {
    if (erasedUs === 0) return false;
    return (
      this.file.rows('SELECT 1 FROM detail JOIN entry USING (seq) WHERE id = ? AND us < ?', id, BigInt(erasedUs))
        .length > 0
    );
  }

  private writeAt(from: IndexPosition, work: () => void): boolean {
    const isDone = this.file.write(() => {
      const { epoch, us } = this.readPosition();
      if (epoch !== from.epoch || us !== from.us) return false;
      work();
      return true;
    });
    return isDone === true;
  }

  private nextSeq(): number {
    return this.file.rows<{ next_seq: number }>('SELECT next_seq FROM state')[0]?.next_seq ?? 1;
  }

  /** @returns where it stood, if it did */
  private remove(id: string, tallies: Tallies): number | undefined {
    const [former] = this.file.rows<CountedEntry & { seq: number }>(FORMER_SQL, id);
    if (former === undefined) return undefined;
    for (const table of ['entry', 'detail']) this.file.run(`DELETE FROM ${table} WHERE seq = ?`, former.seq);
    this.file.run(`DELETE FROM ${tableOf(partOf(former.seq))} WHERE rowid = ?`, former.seq);
    tallies.count(former, -1);
    return former.seq;
  }

  private insert(seq: number, asset: IndexedAsset, tallies: Tallies): void {
    const { id, modifiedUs, choices, words } = asset;
    const counted = countedOf(asset);
    const { currency, amount, createdDay, changedDay } = counted;
    const place = BigInt(seq);
    this.file.run(
      'INSERT INTO entry (seq, us, facet, currency, amount) VALUES (?, ?, ?, ?, ?)',
      place,
      BigInt(modifiedUs),
      facetOf(this.file, counted),
      currency,
      amount,
    );
    this.file.run(
      'INSERT INTO detail (seq, id, created_day, changed_day, choices) VALUES (?, ?, ?, ?, ?)',
      place,
      id,
      createdDay,
      changedDay,
      ` ${choices} `,
    );
    this.file.run(`INSERT INTO ${tableOf(partOf(seq))} (rowid, tokens) VALUES (?, ?)`, place, `${words} ${choices}`);
    tallies.count(counted, 1);
    tallies.nameRegions(asset.regions);
  }

  /** Terms are made by the room that searches: what is left to SQLite is to part them at spaces. Only that a term occurs is kept, not where. */
  private addPart(number: number): void {
    const table = tableOf(number);
    this.file.run(
      `CREATE VIRTUAL TABLE ${table} USING fts5(tokens, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars ':'")`,
    );
    this.file.run(`INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 0)`);
    this.file.run('INSERT INTO part (number, entries) VALUES (?, 0)', number);
  }

  /** @param current the part in which the next entry will stand */
  private settlePart(number: number, more: number, current: number): void {
    const table = tableOf(number);
    this.file.run('UPDATE part SET entries = entries + ? WHERE number = ?', more, number);
    const [part] = this.file.rows<{ entries: number }>('SELECT entries FROM part WHERE number = ?', number);
    if (part === undefined) return;
    if (part.entries === 0 && number !== current) {
      this.file.run(`DROP TABLE ${table}`);
      this.file.run('DELETE FROM part WHERE number = ?', number);
    } else if (number === current || (number === current - 1 && this.hasSegments(table))) {
      // A negative number merges all segments into one. A part that is full only loses entries, so that is done once.
      const pages = number === current ? MERGED_PAGES : -MERGED_PAGES;
      this.file.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, BigInt(pages));
    }
  }

  /** Whether the full-text index of a part has several segments: each term is looked up in each of them. */
  private hasSegments(table: string): boolean {
    const segment = (which: 'MIN' | 'MAX'): string => `(SELECT ${which}(segid) FROM ${table}_idx)`;
    return this.file.values<number>(`SELECT ${segment('MIN')} < ${segment('MAX')}`)[0] === 1;
  }
}
