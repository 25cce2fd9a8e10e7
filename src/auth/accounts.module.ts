import { Module } from '@nestjs/common';
import { AccountsService } from './accounts.service.js';

/** A separate module, because the command line needs it too. */
@Module({ providers: [AccountsService], exports: [AccountsService] })
export class AccountsModule {}
