import { Injectable } from '@nestjs/common';
import { LogKeys } from './log-keys.js';

/** The log in the service description. */
interface LogDescription {
  origin: string;
  publicKey: string;
  /** Verifier keys of C2SP signed-note. */
  publicKeys: string[];
}

/** Injected if the registry has a log. */
@Injectable()
export class LogIdentity {
  constructor(private readonly keys: LogKeys) {}

  /** Describes the log of an epoch. */
  describe(epoch: string): LogDescription {
    const origin = this.keys.originOf(epoch);
    const publicKeys = this.keys.verifierKeys(origin);
    return { origin, publicKey: publicKeys[0] as string, publicKeys };
  }
}
