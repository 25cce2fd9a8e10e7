import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { LogKeys } from './log-keys.js';

/** Origin and verifier keys of the log, as the service description tells them. */
interface ToldLog {
  origin: string;
  /** The first of `publicKeys`. */
  publicKey: string;
  /** Verifier keys of C2SP signed-note. */
  publicKeys: string[];
}

/** Where there is a log, this is injected. */
@Injectable()
export class LogIdentity {
  constructor(
    private readonly keys: LogKeys,
    private readonly database: Database,
  ) {}

  /** The name in checkpoints: that of the key, and the epoch. */
  get origin(): string {
    return this.keys.originOf(this.database.feedEpoch ?? '');
  }

  /** What the service description tells. */
  get told(): ToldLog {
    const { origin } = this;
    const publicKeys = this.keys.verifierKeys(origin);
    return { origin, publicKey: publicKeys[0] as string, publicKeys };
  }
}
