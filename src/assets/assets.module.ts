import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { AssetsController } from './assets.controller.js';
import { AssetsService } from './assets.service.js';

@Module({
  imports: [AuthModule, LedgerModule],
  controllers: [AssetsController],
  providers: [AssetsService],
})
export class AssetsModule {}
