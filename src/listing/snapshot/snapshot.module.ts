import { Module } from '@nestjs/common';
import { CsvModule } from '../csv/csv.module.js';
import { FeedModule } from '../../feed/feed.module.js';
import { SnapshotLines } from './snapshot-lines.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { SnapshotController } from './snapshot.controller.js';
import { Snapshots } from './snapshots.js';

@Module({
  imports: [FeedModule, CsvModule],
  controllers: [SnapshotController],
  providers: [SnapshotLines, SnapshotWriter, Snapshots],
})
export class SnapshotModule {}
