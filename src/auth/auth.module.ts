import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { AccountsModule } from './accounts.module.js';
import { BrokerKeyGuard, KeyUsage, OwnerTokenGuard } from './key-and-token.guard.js';
import { RepeatableGuard } from './repeatable.guard.js';
import { CreatorRoleGuard } from './roles.guard.js';

const GUARDS = [BrokerKeyGuard, CreatorRoleGuard, OwnerTokenGuard, RepeatableGuard];

@Module({ imports: [AccountsModule, FeedModule], providers: [...GUARDS, KeyUsage], exports: [...GUARDS, KeyUsage] })
export class AuthModule {}
