import { bundlePath, LogError, type Tile, tilePath } from 'asset-registry-tlog';
import type { CallOptions } from '../calls.js';
import type { Reply, Sent } from '../connection.js';
import { NotFound } from '../errors.js';
import { objectIn } from '../read-answer.js';
import { pathOf } from '../requests.js';
import { type LogPage, membersIn, readLogPage } from './log-page.js';

const SPORE = '/api/0.1/spore';
const LOG = '/api/0.1/log';
/** The epoch of the feed at the end of an origin. */
const EPOCH = /\/([0-9a-f]{32})$/;
/** Maximum states per page; a page also ends at 2 MiB. */
const MAX_STATES = 1_000;

/** The name and the keys of a log. */
export interface LogIdentity {
  origin: string;
  /** Verifier keys; the first one is `publicKey`. */
  publicKey: string;
  publicKeys: string[];
}

/** The files of the current log, unverified. */
export class LogFiles {
  constructor(
    private readonly read: <T>(sent: Sent, parse: (reply: Reply) => T, options: CallOptions) => Promise<T>,
    private readonly bytes: (sent: Sent, options: CallOptions) => Promise<Buffer>,
    private readonly log = LOG,
  ) {}

  /**
   * The files of the log with this origin. They can be cached, and are NotFound once the registry has another log.
   * @throws LogError unless the origin ends with an epoch
   */
  of(origin: string): LogFiles {
    const [, epoch] = EPOCH.exec(origin) ?? [];
    if (epoch === undefined)
      throw new LogError(`${origin} is not the origin of a registry's log: it does not end with an epoch`);
    return new LogFiles(this.read, this.bytes, `${LOG}/${epoch}`);
  }

  /** @returns undefined if the registry has no log @throws LogError if its name cannot be parsed */
  async identity(options: CallOptions = {}): Promise<LogIdentity | undefined> {
    try {
      return await this.read({ method: 'GET', path: SPORE }, jsonOf(readIdentity), options);
    } catch (error) {
      if (error instanceof NotFound) return undefined;
      throw error;
    }
  }

  /** The newest signed checkpoint, for `verifyCheckpoint`. */
  checkpoint(options: CallOptions = {}): Promise<string> {
    return this.read({ method: 'GET', path: `${this.log}/checkpoint` }, textOf, options);
  }

  /** Hashes, for `hashesOf`. */
  tile(tile: Tile, options: CallOptions = {}): Promise<Buffer> {
    return this.bytes({ method: 'GET', path: `${this.log}/${tilePath(tile)}` }, options);
  }

  /** Entries, for `entriesOf`. */
  bundle(tile: Tile, options: CallOptions = {}): Promise<Buffer> {
    return this.bytes({ method: 'GET', path: `${this.log}/${bundlePath(tile)}` }, options);
  }

  /** @param from index of an entry @throws LogError if an entry cannot be parsed */
  page(from: number, options: CallOptions & { limit?: number } = {}): Promise<LogPage> {
    const { limit = MAX_STATES, ...others } = options;
    const query = { from: String(from), limit: String(limit) };
    return this.read({ method: 'GET', path: `${this.log}/assets`, query }, jsonOf(readLogPage), others);
  }

  /**
   * The proof of a state, for `verifyState`.
   * @param options.at like that of `read`
   * @throws NotFound @throws Unavailable until a signed checkpoint covers the state
   */
  proof(id: string, options: CallOptions & { at?: string } = {}): Promise<string> {
    const { at, ...others } = options;
    const query = at === undefined ? {} : { query: { at } };
    return this.read({ method: 'GET', path: `${pathOf(id)}/proof`, ...query }, textOf, others);
  }
}

function textOf({ text }: Reply): string {
  return text;
}

/** Invalid JSON comes from another server than the registry, so it is an UnexpectedAnswer, not a LogError. */
function jsonOf<T>(readText: (text: string) => T): (reply: Reply) => T {
  return ({ text }) => {
    objectIn(text);
    return readText(text);
  };
}

function readIdentity(text: string): LogIdentity | undefined {
  const { log } = membersIn(text, 'The service description');
  if (log === undefined) return undefined;
  const { origin, publicKey, publicKeys } = Object(log) as Record<string, unknown>;
  const texts = [origin, publicKey, ...(Array.isArray(publicKeys) ? (publicKeys as unknown[]) : [undefined])];
  if (texts.some((one) => typeof one !== 'string')) throw new LogError('The service description has a malformed log');
  return { origin, publicKey, publicKeys } as LogIdentity;
}
