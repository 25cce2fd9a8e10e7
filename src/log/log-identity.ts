import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { LogKeys } from './log-keys.js';

/** By what a log is known, as the service description tells it. */
export interface ToldLog {
  origin: string;
  /** The first of them. */
  publicKey: string;
  publicKeys: string[];
}

/** Where there is a log, this is injected. */
@Injectable()
export class LogIdentity {
  constructor(
    private readonly keys: LogKeys,
    private readonly database: Database,
  ) {}

  get origin(): string {
    return this.keys.originOf(this.database.feedEpoch ?? '');
  }

  get told(): ToldLog {
    const { origin } = this;
    const publicKeys = this.keys.verifierKeys(origin);
    return { origin, publicKey: publicKeys[0] as string, publicKeys };
  }
}
