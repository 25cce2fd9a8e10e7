import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { AssetHistory } from './asset-history.service.js';
import { AssetsController } from './assets.controller.js';
import { AssetsService } from './assets.service.js';
import { HistoryController } from './history.controller.js';

@Module({
  imports: [AuthModule, LedgerModule],
  controllers: [AssetsController, HistoryController],
  providers: [AssetHistory, AssetsService],
  exports: [AssetHistory, AssetsService],
})
export class AssetsModule {}
