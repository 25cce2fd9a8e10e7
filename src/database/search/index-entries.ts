import { exactParts } from './exact-amounts.ts';
import type { IndexFile } from './index-file.ts';
import type { IndexedAsset, IndexedPart, IndexPosition } from './indexed-asset.ts';

/** Position of an emptied index until its old content is purged from the file. */
const EMPTIED_US = -2;
/** The first `seq`, with room for a thousand million numbers on either side. */
const FIRST_SEQ = 2 ** 30;

/** Writes entries and position in one transaction, so that a part of the feed is applied whole or not at all. */
export class IndexEntries {
  private readonly file: IndexFile;
  private readonly version: string;

  constructor(file: IndexFile, version: string) {
    this.file = file;
    this.version = version;
  }

  /** Purges an emptied index from the file and its WAL first, so that nothing is added before. */
  position(): IndexPosition {
    const position = this.readPosition();
    if (position.us !== EMPTIED_US) return position;
    this.purge();
    this.file.run('UPDATE state SET us = -1 WHERE us = ?', EMPTIED_US);
    return this.readPosition();
  }

  /** @throws Error if a process with another version of the registry, or other asset types, has rebuilt the file */
  private readPosition(): IndexPosition {
    const sql = 'SELECT version, epoch, us, from_us AS fromUs FROM state';
    const [state] = this.file.rows<IndexPosition & { version: string }>(sql);
    const { version, ...position } = state as IndexPosition & { version: string };
    if (version !== this.version)
      throw new Error('A process with another version of the registry has rebuilt the index');
    return position;
  }

  /** @throws SQLITE_BUSY while another connection reads */
  private purge(): void {
    const { handle } = this.file;
    handle.exec('VACUUM');
    const [checkpoint] = handle.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    if (checkpoint?.busy !== 0) throw Object.assign(new Error('The index is being read'), { code: 'SQLITE_BUSY' });
  }

  /** Empties the index for another history. @returns false if it was not at `from` */
  empty(from: IndexPosition, epoch: string): boolean {
    return this.writeAt(from, () => {
      for (const table of ['entry', 'facet']) this.file.run(`DELETE FROM ${table}`);
      this.file.run("INSERT INTO words (words) VALUES ('delete-all')");
      this.file.run('UPDATE state SET epoch = ?, us = ?, from_us = -1', epoch, EMPTIED_US);
    });
  }

  /**
   * Applies a part of the feed. If fields of an indexed asset were erased, empties the index instead, because the full-text table would
   * keep their words until SQLite merges it.
   * @returns false if the index was not at `from`, or was emptied
   */
  add({ from, to, assets }: IndexedPart): boolean {
    if (assets.some((asset) => this.hasErased(asset))) {
      this.empty(from, from.epoch);
      return false;
    }
    return this.writeAt(from, () => {
      if (to.us > from.us) this.append(assets);
      else this.prepend(assets);
      this.file.run('UPDATE state SET us = ?, from_us = ?', BigInt(to.us), BigInt(to.fromUs));
    });
  }

  /** Guards against other processes that write to the file. @returns false if the index was not at `from`, without writing */
  private writeAt(from: IndexPosition, work: () => void): boolean {
    const write = this.file.handle.transaction(() => {
      const { epoch, us, fromUs } = this.readPosition();
      if (epoch !== from.epoch || us !== from.us || fromUs !== from.fromUs) return false;
      work();
      return true;
    });
    return write.immediate();
  }

  /** Adds changes that are newer than all entries. */
  private append(assets: readonly IndexedAsset[]): void {
    const last = this.file.value<number | null>('SELECT MAX(seq) FROM entry') ?? FIRST_SEQ;
    // An asset that changed while the part was read is in it twice.
    const newest = new Map(assets.map(({ id, modifiedUs }) => [id, modifiedUs]));
    const added = assets.filter(({ id, modifiedUs }) => newest.get(id) === modifiedUs);
    for (const { id } of added) this.remove(id);
    added.forEach((asset, i) => this.insert(last + 1 + i, asset));
  }

  /** Adds changes that are older than all entries, except of assets that already have a newer entry. */
  private prepend(assets: readonly IndexedAsset[]): void {
    const added = assets.filter(({ id }) => this.find(id) === undefined);
    const first = this.file.value<number | null>('SELECT MIN(seq) FROM entry') ?? FIRST_SEQ;
    added.forEach((asset, i) => this.insert(first - added.length + i, asset));
  }

  /** Whether the index has the asset with a state from before its last erasure. */
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
    const [whole, nano] = amount === null ? [null, null] : exactParts(amount);
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

  /** @returns the number of the facet, which is inserted if needed */
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
