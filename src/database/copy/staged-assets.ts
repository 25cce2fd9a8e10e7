import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Asset } from '../entities/asset.entity.js';
import { EntityTable, type RowOf } from '../entities/entity-table.js';
import { Revision } from '../entities/revision.entity.js';
import { createPrivateFile } from '../files/private-file.js';
import { CopiedDatabase } from './copied-database.js';
import { FIRST_ROWS, MAX_BATCH_LENGTH, nextLimit } from './rows.js';

const ASSETS = EntityTable.of(Asset);
const REVISIONS = EntityTable.of(Revision);
/** Imported states, with the numbers of their lines. */
const STATES = { table: 'staged_state', columns: ['line', ...ASSETS.columns] } as const;
const ROWS_PER_STATEMENT = 500;

interface StagedState {
  line: number;
  asset: Asset;
}

/** Assets being imported, in a temporary SQLite file until all of them are validated. */
export class StagedAssets {
  private buffered: StagedState[] = [];
  /** Characters of the buffered bodies. */
  private bufferedLength = 0;

  private constructor(
    readonly database: CopiedDatabase,
    private readonly folder: string,
  ) {}

  /** Creates the file in a temporary folder, readable only by its owner. @throws Error if the folder is not writable */
  static async create(): Promise<StagedAssets> {
    const folder = mkdtempSync(join(tmpdir(), 'registry-import-'));
    const path = join(folder, 'assets.sqlite');
    createPrivateFile(path);
    const database = await CopiedDatabase.openFile(path, 'write');
    await database.migrate();
    await database.session.execute(
      `CREATE TABLE ${STATES.table} (line INTEGER PRIMARY KEY, ${ASSETS.columns.join(', ')})`,
    );
    return new StagedAssets(database, folder);
  }

  /** Adds a state. Add those of one asset in order of time. */
  async add(asset: Asset, line: number): Promise<void> {
    this.buffered.push({ line, asset });
    this.bufferedLength += asset.body.length;
    if (this.buffered.length >= ROWS_PER_STATEMENT || this.bufferedLength >= MAX_BATCH_LENGTH) await this.flush();
  }

  /**
   * Creates assets from the last states, and their histories from the earlier ones.
   * @param moved states that get another instant, in microseconds
   * @param endedBy creates the revision of a state that the next one ends
   * @returns states that are not later than the previous one
   */
  async arrange(
    moved: readonly { line: number; toUs: number }[],
    endedBy: (state: Asset, next: Asset) => Revision,
  ): Promise<{ line: number; id: string }[]> {
    await this.flush();
    await this.database.inTransaction(() => this.move(moved));
    const late: { line: number; id: string }[] = [];
    let before: Asset | undefined;
    for await (const states of this.inOrder()) {
      const rows: { assets: Asset[]; revisions: Revision[] } = { assets: [], revisions: [] };
      for (const { line, asset } of states) {
        if (before?.id === asset.id) {
          asset.version = before.version + 1;
          rows.revisions.push(endedBy(before, asset));
          if (asset.modifiedUs <= before.modifiedUs) late.push({ line, id: asset.id });
        } else if (before !== undefined) rows.assets.push(before);
        before = asset;
      }
      await this.insert(rows);
    }
    if (before !== undefined) await this.insert({ assets: [before], revisions: [] });
    return late;
  }

  private async move(moved: readonly { line: number; toUs: number }[]): Promise<void> {
    const { session } = this.database;
    const sql = `UPDATE ${STATES.table} SET modified_us = ?, feed_us = CASE WHEN feed_us IS NULL THEN NULL ELSE ? END WHERE line = ?`;
    for (const { line, toUs } of moved) await session.execute(sql, [toUs, toUs, line]);
    await session.execute(`CREATE INDEX staged_order ON ${STATES.table} (id, line)`);
  }

  /** All states, grouped by asset, in batches of limited size. */
  private async *inOrder(): AsyncGenerator<StagedState[]> {
    const sql = `SELECT line, ${ASSETS.select()} FROM ${STATES.table} WHERE (id, line) > (?, ?) ORDER BY id, line LIMIT ?`;
    let limit = FIRST_ROWS;
    for (let after: [string, number] = ['', 0]; ;) {
      const rows = await this.database.session.query<RowOf<Asset> & { line: number }>(sql, [...after, limit]);
      const last = rows.at(-1);
      if (last === undefined) return;
      after = [last.id, last.line];
      const states = rows.map(({ line, ...row }) => ({ line, asset: ASSETS.toEntity(row) }));
      yield states;
      const length = states.reduce((sum, { asset }) => sum + asset.body.length, 0);
      limit = Math.min(nextLimit(limit, states.length, length), ROWS_PER_STATEMENT);
    }
  }

  private insert({ assets, revisions }: { assets: readonly Asset[]; revisions: readonly Revision[] }): Promise<void> {
    const { session } = this.database;
    return this.database.inTransaction(async () => {
      await session.insertRows(ASSETS, ASSETS.toRows(assets));
      await session.insertRows(REVISIONS, REVISIONS.toRows(revisions));
    });
  }

  /** Names of all present and former owners. */
  async owners(): Promise<string[]> {
    const rows = await this.database.session.query<{ owner: string }>(
      'SELECT owner FROM asset UNION SELECT owner FROM revision ORDER BY owner',
    );
    return rows.map(({ owner }) => owner);
  }

  /** The newest instant, in microseconds; 0 without assets. */
  async lastUs(): Promise<number> {
    const [row] = await this.database.session.query<{ last: number | null }>(
      'SELECT MAX(modified_us) AS last FROM asset',
    );
    return Number(row?.last ?? 0);
  }

  async remove(): Promise<void> {
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async flush(): Promise<void> {
    const rows = this.buffered.map(({ line, asset }) => [line, ...ASSETS.toRows([asset]).flat()]);
    this.buffered = [];
    this.bufferedLength = 0;
    if (rows.length > 0) await this.database.inTransaction(() => this.database.session.insertRows(STATES, rows));
  }
}
