import { Module } from '@nestjs/common';
import { AccountsService } from './accounts.service.js';
import { BrokerKeyGuard, CreatorRoleGuard } from './broker-key.guard.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { OwnerTokenGuard } from './owner-token.guard.js';
import { RepeatableGuard } from './repeatable.guard.js';

@Module({
  imports: [LedgerModule],
  providers: [AccountsService, BrokerKeyGuard, CreatorRoleGuard, OwnerTokenGuard, RepeatableGuard],
  exports: [AccountsService, BrokerKeyGuard, CreatorRoleGuard, OwnerTokenGuard, RepeatableGuard],
})
export class AuthModule {}
