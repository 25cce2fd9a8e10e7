import { Injectable } from '@nestjs/common';
import { LogKeys } from './log-keys.js';

/** Origin and verifier keys of the log, as the service description tells them. */
interface ToldLog {
  origin: string;
  publicKey: string;
  /** Verifier keys of C2SP signed-note. */
  publicKeys: string[];
}

/** Where there is a log, this is injected. */
@Injectable()
export class LogIdentity {
  constructor(private readonly keys: LogKeys) {}

  /** What the service description tells of the log of an epoch. */
  toldOf(epoch: string): ToldLog {
    const origin = this.keys.originOf(epoch);
    const publicKeys = this.keys.verifierKeys(origin);
    return { origin, publicKey: publicKeys[0] as string, publicKeys };
  }
}
