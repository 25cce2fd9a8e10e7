import type { CallOptions, Digest } from './calls.js';
import type { Connection, Reply, Sent } from './connection.js';
import { LogFiles } from './log/log-files.js';
import type { LoggedState } from './log/log-page.js';
import { type RegistryType, readTypes } from './registry-types.js';
import { assertAdvances } from './read-answer.js';
import type { RetryPolicy } from './retry-policy.js';
import { ASSETS, digestOf } from './requests.js';
import { Snapshot, SNAPSHOT_BYTES } from './snapshot.js';

/** The registry counts a range of millions of entries before its answer begins. */
const DIGEST_MS = 600_000;

/** Reads other than assets and pages of the feed. */
export abstract class FurtherReads {
  /** The log's files and pages. */
  readonly logFiles: LogFiles;

  protected constructor(
    protected readonly connection: Connection,
    protected readonly signal: AbortSignal | undefined,
  ) {
    this.logFiles = new LogFiles(
      (sent, parse, options) => this.readAs(sent, parse, options),
      (sent, options) => connection.exchangeBytes({ ...sent, signal: this.signalOf(options) }),
    );
  }

  /** Reads every listed asset as of one moment, to begin a copy. Finish or leave its loop before closing the client. */
  async snapshot(options: CallOptions = {}): Promise<Snapshot> {
    const signal = this.signalOf(options);
    const path = `${ASSETS}/snapshot.jsonl.gz`;
    const { body } = await this.connection.open({ method: 'GET', path, signal, highWaterMark: SNAPSHOT_BYTES });
    return Snapshot.read(body, signal);
  }

  /** @param options the entries after `from`, up to and including `to`; by default the whole feed */
  digest({ from, to, signal }: CallOptions & { from?: string; to?: string } = {}): Promise<Digest> {
    const query = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    const sent: Sent = { method: 'GET', path: `${ASSETS}/digest`, query, answerMs: DIGEST_MS };
    return this.readAs(sent, digestOf, signal === undefined ? {} : { signal });
  }

  /**
   * The entries of the log with their states, up to its current end. Inclusion and commitments are not verified.
   * @param options.from index of the first entry, default 0
   * @throws NotFound if the registry has no log @throws LogError if an entry cannot be parsed
   */
  async *log({ from = 0, ...options }: CallOptions & { from?: number } = {}): AsyncGenerator<
    LoggedState,
    void,
    undefined
  > {
    for (let next = from; ;) {
      const page = await this.logFiles.page(next, options);
      if (page.states.length === 0) return;
      assertAdvances(next, page.next);
      yield* page.states;
      next = page.next;
    }
  }

  /** The registry's asset types, from its OpenAPI document. */
  types(options: CallOptions = {}): Promise<RegistryType[]> {
    return this.readAs({ method: 'GET', path: '/api/0.1/openapi.json' }, ({ text }) => readTypes(text), options);
  }

  protected exchange(sent: Sent, options: CallOptions, retryPolicy?: RetryPolicy): Promise<Reply> {
    return this.connection.exchange({ ...sent, signal: this.signalOf(options) }, retryPolicy);
  }

  /** Sends a GET and parses its answer. */
  protected readAs<T>(sent: Sent, parse: (reply: Reply) => T, options: CallOptions): Promise<T> {
    return this.connection.read({ ...sent, signal: this.signalOf(options) }, parse);
  }

  protected signalOf({ signal }: CallOptions): AbortSignal | undefined {
    if (signal === undefined || this.signal === undefined || signal === this.signal) return signal ?? this.signal;
    return AbortSignal.any([signal, this.signal]);
  }
}
