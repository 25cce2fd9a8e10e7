import { Injectable } from '@nestjs/common';
import { printAsset } from '../asset/asset-view.js';
import { AssetTable } from '../csv/asset-table.js';
import { BYTE_ORDER_MARK } from '../csv/csv-lines.js';
import type { FeedView } from '../database/feed-view.js';
import { EncodedText } from '../text/encoded-text.js';
import { RegistryTime } from '../time/registry-time.js';
import type { SnapshotFormat } from './snapshot-name.js';

/** Prints every listed asset of a view, the oldest change first. */
@Injectable()
export class SnapshotLines {
  constructor(
    private readonly time: RegistryTime,
    private readonly table: AssetTable,
  ) {}

  /** JSON: `{"offset", "feed_epoch"}`, then the assets. CSV: the names of the columns, then the assets. */
  print(format: SnapshotFormat, view: FeedView): AsyncGenerator<Buffer> {
    return format === 'jsonl' ? this.json(view) : this.csv(view, format === 'bom.csv');
  }

  private async *json(view: FeedView): AsyncGenerator<Buffer> {
    const offset = this.time.print(view.clockUs);
    yield Buffer.from(`${JSON.stringify({ offset, feed_epoch: view.epoch })}\n`);
    for await (const assets of view.assets()) {
      const printed = assets.map((asset) => printAsset(asset, this.time));
      yield EncodedText.join([...printed, ''], '\n').toBuffer();
    }
  }

  private async *csv(view: FeedView, hasByteOrderMark: boolean): AsyncGenerator<Buffer> {
    yield Buffer.from((hasByteOrderMark ? BYTE_ORDER_MARK : '') + this.table.header);
    for await (const assets of view.assets()) yield this.table.print(assets);
  }
}
