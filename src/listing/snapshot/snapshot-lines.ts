import { Injectable } from '@nestjs/common';
import { printAsset } from '../../feed/reading/asset-view.js';
import { AssetTable } from '../csv/asset-table.js';
import { BYTE_ORDER_MARK } from '../csv/csv-lines.js';
import type { FeedView } from '../../database/readers/feed-view.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import { RegistryTime } from '../../platform/time/registry-time.js';

/** JSON lines, or CSV without or with a byte order mark. */
export const SNAPSHOT_FORMATS = ['jsonl', 'csv', 'bom.csv'] as const;

export type SnapshotFormat = (typeof SNAPSHOT_FORMATS)[number];

/** Prints all listed assets of a view, oldest change first. */
@Injectable()
export class SnapshotLines {
  constructor(
    private readonly time: RegistryTime,
    private readonly table: AssetTable,
  ) {}

  /** JSON: `{"offset", "feed_epoch"}`, then the assets. CSV: the column names, then the assets. */
  async *print(format: SnapshotFormat, view: FeedView): AsyncGenerator<Buffer> {
    yield Buffer.from(this.firstLine(format, view));
    for await (const assets of view.assets()) {
      if (format !== 'jsonl') yield this.table.print(assets);
      else yield EncodedText.join([...assets.map((asset) => printAsset(asset, this.time)), ''], '\n').toBuffer();
    }
  }

  private firstLine(format: SnapshotFormat, { clockUs, epoch }: FeedView): string {
    if (format === 'jsonl') return `${JSON.stringify({ offset: this.time.print(clockUs), feed_epoch: epoch })}\n`;
    return (format === 'bom.csv' ? BYTE_ORDER_MARK : '') + this.table.header;
  }
}
