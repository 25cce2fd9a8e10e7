import { Module } from '@nestjs/common';
import { AccountsService } from './accounts.service.js';
import { BrokerKeyGuard, CreatorRoleGuard } from './broker-key.guard.js';
import { OwnerTokenGuard } from './owner-token.guard.js';

@Module({
  providers: [AccountsService, BrokerKeyGuard, CreatorRoleGuard, OwnerTokenGuard],
  exports: [AccountsService, BrokerKeyGuard, CreatorRoleGuard, OwnerTokenGuard],
})
export class AuthModule {}
