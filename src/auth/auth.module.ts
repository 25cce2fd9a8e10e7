import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { AccountsModule } from './accounts.module.js';
import { BrokerKeyGuard, CreatorRoleGuard, KeyUsage } from './broker-key.guard.js';
import { OwnerTokenGuard } from './owner-token.js';
import { RepeatableGuard } from './repeatable.guard.js';

const GUARDS = [BrokerKeyGuard, CreatorRoleGuard, OwnerTokenGuard, RepeatableGuard];

@Module({ imports: [AccountsModule, FeedModule], providers: [...GUARDS, KeyUsage], exports: [...GUARDS, KeyUsage] })
export class AuthModule {}
