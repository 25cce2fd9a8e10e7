import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { Inject, Injectable } from '@nestjs/common';
import { printAsset } from '../assets/asset-view.js';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { Database } from '../database/database.js';
import { FeedView } from '../database/feed-view.js';
import { unavailable } from '../errors/errors.js';
import { StreamedAnswer } from '../http/answer.js';
import { DurableClock } from '../ledger/durable-clock.js';
import { RegistryTime } from '../time/registry-time.js';
import { FewAtOnce } from './few-at-once.js';

const MOST_AT_ONCE = 2;
/** The database keeps what others overwrite meanwhile. Whoever needs longer goes on in the feed from where it is cut off. */
const LONGEST_MS = 30 * 60_000;

/** The whole feed in one answer, from one moment: for copies that begin. */
@Injectable()
export class SnapshotService {
  private readonly atOnce = new FewAtOnce(MOST_AT_ONCE);

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly database: Database,
    private readonly durable: DurableClock,
    private readonly time: RegistryTime,
  ) {}

  /**
   * JSON lines, compressed: `{"offset", "feed_epoch"}`, then every listed asset, the oldest change first. Whoever has a part of it can go on in the feed from
   * the last asset's dateModified, whoever has all of it from `offset`.
   * @throws ApiError 503 when others ask for as much, or the database is away
   */
  async stream(): Promise<StreamedAnswer> {
    const over = this.atOnce.begin();
    let view: FeedView;
    try {
      view = await this.open();
    } catch (error) {
      over();
      throw error;
    }
    const offset = this.time.print(view.clockUs);
    const lines = Readable.from(this.lines(view, offset), {
      objectMode: false,
      signal: AbortSignal.timeout(LONGEST_MS),
    });
    lines.once('close', () => {
      over();
      void view.close();
    });
    // The first level: the others take several times as long, for a fifth less.
    const file = createGzip({ level: constants.Z_BEST_SPEED });
    pipeline(lines, file, () => undefined);
    return new StreamedAnswer(file, {
      'Content-Type': 'application/gzip',
      'Feed-Offset': offset,
      'Feed-Epoch': view.epoch,
      'Cache-Control': 'no-store',
    });
  }

  private async open(): Promise<FeedView> {
    await this.database.ready();
    let view: FeedView;
    try {
      view = await FeedView.open(this.config.databaseUrl);
    } catch (error) {
      if (this.database.take(error) === 'defect') throw error;
      throw unavailable();
    }
    await this.durable.waitFor(view.clockUs);
    return view;
  }

  /** Assets come as bytes, and all the rest is ASCII. */
  private async *lines(view: FeedView, offset: string): AsyncGenerator<Buffer> {
    yield Buffer.from(`${JSON.stringify({ offset, feed_epoch: view.epoch })}\n`);
    for await (const assets of view.assets()) {
      yield Buffer.from(assets.map((asset) => `${printAsset(asset, this.time)}\n`).join(''), 'latin1');
    }
  }
}
