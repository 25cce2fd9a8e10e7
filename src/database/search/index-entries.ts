import { exactly } from './exact-amounts.ts';
import type { IndexFile } from './index-file.ts';
import type { IndexedAsset, IndexedPart, IndexPosition } from './indexed-asset.ts';

/** Where an index is that was emptied, until what it had is gone from the file. */
const EMPTIED_US = -2;
/** The first place that is given: there is room for a thousand million before it and behind it. */
const FIRST_PLACE = 2 ** 30;

/** Writes entries, with the position that they lead to: a part of the feed is taken in whole or not at all. */
export class IndexEntries {
  private readonly file: IndexFile;
  private readonly version: string;

  constructor(file: IndexFile, version: string) {
    this.file = file;
    this.version = version;
  }

  /** Nothing is added to an index that was emptied before what it had is gone from the file and its log. */
  position(): IndexPosition {
    const position = this.readPosition();
    if (position.us !== EMPTIED_US) return position;
    this.forget();
    this.file.run('UPDATE state SET us = -1 WHERE us = ?', EMPTIED_US);
    return this.readPosition();
  }

  /** @throws Error when a process with another version of the registry, or other asset types, has taken the file over */
  private readPosition(): IndexPosition {
    const sql = 'SELECT version, epoch, us, from_us AS fromUs FROM state';
    const [state] = this.file.rows<IndexPosition & { version: string }>(sql);
    const { version, ...position } = state as IndexPosition & { version: string };
    if (version !== this.version) throw new Error('Another version of the registry has taken it over');
    return position;
  }

  /** @throws SQLITE_BUSY while others read */
  private forget(): void {
    const { handle } = this.file;
    handle.exec('VACUUM');
    const [checkpoint] = handle.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (checkpoint?.busy !== 0) throw Object.assign(new Error('The index is being read'), { code: 'SQLITE_BUSY' });
  }

  /** Empties it for another history. @returns false where the index was not at `from` */
  empty(from: IndexPosition, epoch: string): boolean {
    return this.writeAt(from, () => {
      for (const table of ['entry', 'facet']) this.file.run(`DELETE FROM ${table}`);
      this.file.run("INSERT INTO words (words) VALUES ('delete-all')");
      this.file.run('UPDATE state SET epoch = ?, us = ?, from_us = -1', epoch, EMPTIED_US);
    });
  }

  /**
   * Takes in a part of the feed. What was erased of an asset stands in the full-text table for as long as SQLite does not merge that: then the
   * index is emptied, to be built without it.
   * @returns false where the index was not at `from`, or had to be emptied
   */
  add({ from, to, assets }: IndexedPart): boolean {
    if (assets.some((asset) => this.hasErased(asset))) {
      this.empty(from, from.epoch);
      return false;
    }
    return this.writeAt(from, () => {
      if (to.us > from.us) this.addBehind(assets);
      else this.addBefore(assets);
      this.file.run('UPDATE state SET us = ?, from_us = ?', BigInt(to.us), BigInt(to.fromUs));
    });
  }

  /** Several processes may write to the file. @returns false where the index was not at `from`: nothing is written then */
  private writeAt(from: IndexPosition, work: () => void): boolean {
    const write = this.file.handle.transaction(() => {
      const { epoch, us, fromUs } = this.readPosition();
      if (epoch !== from.epoch || us !== from.us || fromUs !== from.fromUs) return false;
      work();
      return true;
    });
    return write.immediate();
  }

  /** Newer than all that there is. */
  private addBehind(assets: readonly IndexedAsset[]): void {
    const last = this.file.value<number | null>('SELECT MAX(seq) FROM entry') ?? FIRST_PLACE;
    // An asset may have been changed while they were read, and stand there twice.
    const newest = new Map(assets.map(({ id, modifiedUs }) => [id, modifiedUs]));
    const news = assets.filter(({ id, modifiedUs }) => newest.get(id) === modifiedUs);
    for (const { id } of news) this.remove(id);
    news.forEach((asset, i) => this.insert(last + 1 + i, asset));
  }

  /** Older than all that there is. An asset that is there already was changed since. */
  private addBefore(assets: readonly IndexedAsset[]): void {
    const news = assets.filter(({ id }) => this.find(id) === undefined);
    const first = this.file.value<number | null>('SELECT MIN(seq) FROM entry') ?? FIRST_PLACE;
    news.forEach((asset, i) => this.insert(first - news.length + i, asset));
  }

  /** Whether it still has the asset as it was before the erasure. */
  private hasErased({ id, erasedUs }: IndexedAsset): boolean {
    return erasedUs > 0 && (this.find(id)?.us ?? erasedUs) < erasedUs;
  }

  private find(id: string): { seq: number; us: number; facet: number } | undefined {
    return this.file.rows<{ seq: number; us: number; facet: number }>(
      'SELECT seq, us, facet FROM entry WHERE id = ?',
      bytesOf(id),
    )[0];
  }

  private remove(id: string): void {
    const former = this.find(id);
    if (former === undefined) return;
    this.file.run('DELETE FROM entry WHERE seq = ?', BigInt(former.seq));
    this.file.run('DELETE FROM words WHERE rowid = ?', BigInt(former.seq));
    const sql = 'DELETE FROM facet WHERE number = ? AND NOT EXISTS (SELECT 1 FROM entry WHERE facet = number)';
    this.file.run(sql, former.facet);
  }

  private insert(seq: number, asset: IndexedAsset): void {
    const { id, modifiedUs, createdDay, changedDay, value, terms } = asset;
    const { currency = null, amount = null } = value ?? {};
    const [whole, nano] = amount === null ? [null, null] : exactly(amount);
    this.file.run(
      `INSERT INTO entry (seq, facet, currency, amount, us, id, whole, nano, created_day, changed_day)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      BigInt(seq),
      this.facetOf(asset),
      currency,
      amount,
      BigInt(modifiedUs),
      bytesOf(id),
      whole,
      nano,
      dayNumber(createdDay),
      dayNumber(changedDay),
    );
    this.file.run('INSERT INTO words (rowid, tokens) VALUES (?, ?)', BigInt(seq), terms);
  }

  /** The number of what entries have in common; it gets one where it has none. */
  private facetOf({ status, assetType, regions }: IndexedAsset): number {
    const values = [status, assetType, JSON.stringify(regions.map(({ key, name }) => [key, name]))];
    const sql = 'SELECT number FROM facet WHERE status = ? AND type = ? AND regions = ?';
    const find = (): number | undefined => this.file.value<number>(sql, ...values);
    if (find() === undefined) this.file.run('INSERT INTO facet (status, type, regions) VALUES (?, ?, ?)', ...values);
    return find() as number;
  }
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id, 'hex');
}

/** `2026-11-21` as 20261121. */
function dayNumber(day: string): number {
  return Number(day.replaceAll('-', ''));
}
