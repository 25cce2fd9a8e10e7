import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { AccountsModule } from './accounts.module.js';
import { KeyUsage } from './key-usage.js';

/** Without the guards, which Nest creates where they are used. */
@Module({ imports: [AccountsModule, FeedModule], providers: [KeyUsage], exports: [KeyUsage] })
export class AuthModule {}
