import { type ReadAsset, toReadAsset } from './asset-row.js';
import { BodySizes } from './body-sizes.js';
import { CopiedDatabase } from './copy/copied-database.js';
import { readFitting, sizedSql, type SizedRow } from './fitting-rows.js';
import { readWholeHistory } from './history.js';

/** Of one statement: enough to be fast, few enough that nothing waits for one on SQLite. */
const ROWS = 500;

/** The whole feed as it is at one moment, over a connection of its own. To be closed. */
export class FeedView {
  private constructor(
    private readonly database: CopiedDatabase,
    /** The feed's clock at that moment, in microseconds: every change up to it is in the view, and none that came later. */
    readonly clockUs: number,
    /** Which history it belongs to. */
    readonly epoch: string,
  ) {}

  /** Writers wait for two short statements. @throws the driver's error when the database is away */
  static async open(databaseUrl: string): Promise<FeedView> {
    const database = await CopiedDatabase.open(databaseUrl, 'read');
    try {
      await database.beginSnapshot();
      const { lastUs, epoch } = await readWholeHistory(database.session);
      return new FeedView(database, lastUs, epoch);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Every listed asset, some at a time, the oldest change first; their bodies are in `latin1`. */
  async *assets(): AsyncGenerator<ReadAsset[]> {
    const { dialect, session } = this.database;
    const sql = `SELECT ${sizedSql(dialect)} FROM asset ${dialect.byIndexSql('uq_asset_feed_us')} WHERE feed_us > ? ORDER BY feed_us LIMIT ?`;
    const sizes = new BodySizes();
    for (let lastUs = -1; ;) {
      const { rows } = await readFitting(ROWS, sizes, '', async (limit, largest) => ({
        rows: await session.query<SizedRow>(sql, [largest, largest, lastUs, limit].map(BigInt)),
      }));
      if (rows.length === 0) return;
      const assets = rows.map(toReadAsset);
      yield assets;
      lastUs = (assets.at(-1) as ReadAsset).modifiedUs;
    }
  }

  async close(): Promise<void> {
    await this.database.close();
  }
}
