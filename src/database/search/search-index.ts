import type { IndexedAsset, IndexPosition } from './indexed-asset.js';
import { partOf, tableOf } from './parts.js';
import { IndexError, type SearchFile } from './search-file.js';
import { type CountedEntry, countedOf, Tallies } from './tallies.js';

const COUNTED = 'status, type, regions, currency, amount, created_day, changed_day';
const COUNTED_AS_READ = COUNTED.replace('created_day', 'created_day AS createdDay').replace(
  'changed_day',
  'changed_day AS changedDay',
);

/**
 * A merge that goes on a little with each transaction, in pages: left to itself, SQLite would merge now and then, for tens of milliseconds.
 */
const MERGED_PAGES = 16;

/** Keeps the index. Position and entries are written in one transaction, so nothing is taken in twice and nothing is left out. */
export class SearchIndex {
  /** The file still has what was deleted. */
  private isToBeShrunk = false;

  constructor(private readonly file: SearchFile) {}

  /** @throws IndexError when a process with another version of the registry, or other asset types, has taken the file over */
  position(): IndexPosition {
    if (this.isToBeShrunk) this.isToBeShrunk = !this.file.shrink();
    return this.readPosition();
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
    const isDone = this.writeAt(from, () => this.empty(epoch));
    this.isToBeShrunk ||= isDone;
    return isDone;
  }

  private empty(epoch: string): void {
    for (const { number } of this.file.rows<{ number: number }>('SELECT number FROM part'))
      this.file.run(`DROP TABLE ${tableOf(number)}`);
    for (const table of ['part', 'entry', 'region', 'tally']) this.file.run(`DELETE FROM ${table}`);
    this.file.run('UPDATE state SET epoch = ?, us = -1, next_seq = 1', epoch);
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
      for (const [part, more] of touched) this.settlePart(part, more, partOf(seq));
      tallies.writeTo(this.file);
      this.file.run('UPDATE state SET us = ?, next_seq = ?', BigInt(assets.at(-1)?.modifiedUs ?? from.us), seq);
    });
  }

  /** Whether it still has the asset as it was before the erasure. */
  private hasErased({ id, erasedUs }: IndexedAsset): boolean {
    if (erasedUs === 0) return false;
    return this.file.rows('SELECT 1 FROM entry WHERE id = ? AND us < ?', id, BigInt(erasedUs)).length > 0;
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
    const sql = `SELECT seq, ${COUNTED_AS_READ} FROM entry WHERE id = ?`;
    const [former] = this.file.rows<CountedEntry & { seq: number }>(sql, id);
    if (former === undefined) return undefined;
    this.file.run('DELETE FROM entry WHERE seq = ?', former.seq);
    this.file.run(`DELETE FROM ${tableOf(partOf(former.seq))} WHERE rowid = ?`, former.seq);
    tallies.count(former, -1);
    return former.seq;
  }

  private insert(seq: number, asset: IndexedAsset, tallies: Tallies): void {
    const { id, modifiedUs, choices, words } = asset;
    const counted = countedOf(asset);
    const { status, type, regions, currency, amount, createdDay, changedDay } = counted;
    this.file.run(
      `INSERT INTO entry (seq, us, id, choices, ${COUNTED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      BigInt(seq),
      BigInt(modifiedUs),
      id,
      ` ${choices} `,
      status,
      type,
      regions,
      currency,
      amount,
      createdDay,
      changedDay,
    );
    this.file.run(
      `INSERT INTO ${tableOf(partOf(seq))} (rowid, tokens) VALUES (?, ?)`,
      BigInt(seq),
      `${words} ${choices}`,
    );
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
    if (part?.entries === 0 && number !== current) {
      this.file.run(`DROP TABLE ${table}`);
      this.file.run('DELETE FROM part WHERE number = ?', number);
    } else if (number >= current - 1) {
      // Older ones only lose entries, which leaves nothing to be merged.
      this.file.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, BigInt(MERGED_PAGES));
    }
  }
}
