import { Module } from '@nestjs/common';
import { AccountsService } from './accounts.service.js';

/** What the command line needs as well. */
@Module({ providers: [AccountsService], exports: [AccountsService] })
export class AccountsModule {}
