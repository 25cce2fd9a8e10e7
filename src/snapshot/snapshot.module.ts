import { Module } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { CsvModule } from '../csv/csv.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { SnapshotFolder } from './snapshot-folder.js';
import { SnapshotKeepers } from './snapshot-keeper.js';
import { SnapshotLines } from './snapshot-lines.js';
import { SnapshotMaker } from './snapshot-maker.js';
import { SnapshotController } from './snapshot.controller.js';
import { SnapshotService } from './snapshot.service.js';

@Module({
  imports: [FeedModule, CsvModule],
  controllers: [SnapshotController],
  providers: [
    SnapshotKeepers,
    SnapshotLines,
    SnapshotMaker,
    SnapshotService,
    {
      provide: SnapshotFolder,
      inject: [CONFIG],
      useFactory: ({ snapshotFolder }: Config) => new SnapshotFolder(snapshotFolder),
    },
  ],
})
export class SnapshotModule {}
