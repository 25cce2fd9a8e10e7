import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, cacheStores, type Dispatcher, errors, interceptors, request as send, type RetryHandler } from 'undici';
import { AnswerCut, attemptInterceptor } from './attempt.js';
import { Cookies } from './cookies.js';
import { ConnectionFailed, errorOf, RegistryError, UnexpectedAnswer } from './errors.js';
import { noConnectionText } from './no-connection.js';
import { bytesOfBody } from './read-answer.js';
import { backoffMs, isForeignAnswer, type OnWait, RetryPolicy, type Wait } from './retry-policy.js';

/** Cache of assets, so that unchanged ones are not transferred again. */
const CACHE = { maxCount: 1_000, maxSize: 16 * 1024 * 1024 };
const CACHE_SECONDS = 86_400;
const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
/**
 * Maximum consecutive retries of a read after unexpected answers, with growing pauses: about five minutes. Source: the README's "Automatic
 * behaviour".
 */
const MAX_FOREIGN_ANSWERS = 20;
/** The same before a registry's first answer, unless `retries` is Infinity: a mistyped address fails within two seconds. */
const MAX_FOREIGN_AT_FIRST = 3;
/** A streamed answer has an alternative, pages: a client with unlimited retries falls back to them after about two minutes. */
const MAX_RETRIES_TO_OPEN = 10;

interface ConnectionOptions {
  retries: number;
  onWait: OnWait;
  userAgent: string;
  /** Aborts every request. */
  signal?: AbortSignal | undefined;
}

export interface Sent {
  method: 'GET' | 'POST' | 'PATCH';
  /** Path below the registry's address, such as `/api/0.1/assets`. */
  path: string;
  /** A list is sent as a repeated parameter. */
  query?: Record<string, string | string[]>;
  headers?: Record<string, string>;
  body?: string;
  /** May be answered from the cache, after revalidation. */
  isCached?: boolean;
  /** Bytes of a streamed answer that are buffered for its reader. */
  highWaterMark?: number;
  /** Time limit until the answer begins. */
  answerMs?: number;
  /** A long poll: not retried, because the caller may then poll in another way. */
  isLongPoll?: boolean;
  /** Every registry has this resource, so a 404 without a registry error comes from another server. */
  isRequired?: boolean;
  signal?: AbortSignal | undefined;
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** An answer with a status below 400 that is not a redirect. */
export interface Reply {
  status: number;
  headers: AnswerHeaders;
  text: string;
}

/** Sends requests to one registry, and retries them as the registry asks. */
export class Connection {
  readonly #cookies = new Cookies();
  readonly #agent = new Agent({ connect: { timeout: CONNECT_MS }, bodyTimeout: ANSWER_MS });
  readonly #retrying: Dispatcher;
  readonly #caching: Dispatcher;
  #hasAnswered = false;

  /** @param base the registry's address without a trailing slash */
  constructor(
    private readonly base: string,
    private readonly options: ConnectionOptions,
  ) {
    // Undici consults `RetryPolicy` for each request instead of its own generic rules.
    const retryPolicy = interceptors.retry({ throwOnError: false });
    this.#retrying = this.#agent.compose(attemptInterceptor(this.#cookies), retryPolicy);
    const store = new cacheStores.MemoryCacheStore(CACHE);
    this.#caching = this.#retrying.compose(
      interceptors.cache({ store, type: 'private', cacheByDefault: CACHE_SECONDS }),
    );
  }

  /** The retry policy of one request. */
  retryPolicy(signal: AbortSignal | undefined, isLongPoll = false, maxRetries = this.options.retries): RetryPolicy {
    return new RetryPolicy(this.base, maxRetries, this.options.onWait, signal, isLongPoll);
  }

  /**
   * Sends a request until the answer is complete.
   * @throws RegistryError for a status of 400 or above
   * @throws ConnectionFailed without a complete answer
   */
  exchange(sent: Sent, retryPolicy = this.retryPolicy(sent.signal, sent.isLongPoll)): Promise<Reply> {
    return this.complete(sent, retryPolicy, replyOf);
  }

  /**
   * Like `exchange`, but also retries a GET whose answer is not a registry's.
   * @param parse throws UnexpectedAnswer for such an answer; its other errors are thrown unchanged
   */
  async read<T>(sent: Sent, parse: (reply: Reply) => T): Promise<T> {
    const result = await this.complete(sent, this.retryPolicy(sent.signal, sent.isLongPoll), async (answer) => {
      const reply = await replyOf(answer);
      return outcomeOf(() => parse(reply));
    });
    this.#hasAnswered = true;
    return result();
  }

  /** Like `exchange`, for binary answers. */
  exchangeBytes(sent: Sent): Promise<Buffer> {
    return this.complete(sent, this.retryPolicy(sent.signal), ({ body }) => bytesOfBody(body));
  }

  /**
   * Sends a request until a streamed answer begins. If it is cut, its body fails.
   * @throws RegistryError for a status of 400 or above
   * @throws ConnectionFailed without an answer
   */
  async open(sent: Sent): Promise<Answer> {
    try {
      const maxRetries = Math.min(this.options.retries, MAX_RETRIES_TO_OPEN);
      return await this.accepted(sent, this.retryPolicy(sent.signal, false, maxRetries));
    } catch (error) {
      throw this.publicError(sent, error);
    }
  }

  /** @throws the signal's reason if aborted */
  async wait(wait: Wait, signal: AbortSignal | undefined): Promise<void> {
    this.options.onWait(wait);
    try {
      await sleep(wait.ms, undefined, { signal });
    } catch {
      signal?.throwIfAborted();
    }
  }

  /** Closes every connection; requests in progress fail. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  private async complete<T>(sent: Sent, retryPolicy: RetryPolicy, read: (answer: Answer) => Promise<T>): Promise<T> {
    let foreign = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await this.accepted(sent, retryPolicy));
      } catch (error) {
        foreign = sent.method === 'GET' && isForeignAnswer(error, sent.isRequired) ? foreign + 1 : 0;
        const isRepeated = error instanceof AnswerCut || (foreign > 0 && foreign <= this.maxForeignAnswers);
        const isLast = attempt > this.options.retries || sent.isLongPoll || sent.signal?.aborted;
        if (!isRepeated || isLast) throw this.publicError(sent, error);
        retryPolicy.mayHaveExecuted = true;
        await this.wait(foreign > 0 ? waitAfterForeign(error as Error, foreign) : waitAfterCut(attempt), sent.signal);
      }
    }
  }

  private get maxForeignAnswers(): number {
    return this.#hasAnswered || this.options.retries === Infinity ? MAX_FOREIGN_ANSWERS : MAX_FOREIGN_AT_FIRST;
  }

  /** Converts any error to the one that the caller gets. */
  private publicError({ method, path, signal }: Sent, error: unknown): unknown {
    if (signal?.aborted) return signal.reason;
    if (error instanceof RegistryError || error instanceof UnexpectedAnswer) return error;
    if (error instanceof errors.InvalidArgumentError) return error;
    const cause = (error instanceof AnswerCut ? error.cause : error) as NodeJS.ErrnoException;
    const text = `${method} ${this.shown(path)} got no complete answer (${cause.code ?? cause.message})`;
    return new ConnectionFailed(noConnectionText(this.base, cause) ?? text, { cause: error });
  }

  private async accepted(sent: Sent, retryPolicy: RetryPolicy): Promise<Answer> {
    const answer = await this.begin(sent, retryPolicy);
    const { statusCode, headers, body } = answer;
    if (statusCode < 300 || statusCode === 304) return answer;
    if (statusCode >= 400) throw this.refused(sent, answer, (await bytesOfBody(body)).toString());
    await body.dump();
    const { method, path } = sent;
    throw new UnexpectedAnswer(
      `${method} ${this.shown(path)} was answered with ${statusCode}${redirectText(this.base, headers['location'])}`,
    );
  }

  private begin(sent: Sent, { retry }: RetryPolicy): Promise<Answer> {
    const { method, path, query, headers, body, isCached = false, answerMs = ANSWER_MS, signal, highWaterMark } = sent;
    signal?.throwIfAborted();
    const options: RequestOptions = {
      method,
      dispatcher: isCached ? this.#caching : this.#retrying,
      headers: { 'user-agent': this.options.userAgent, ...headers, ...(isCached && { 'cache-control': 'no-cache' }) },
      headersTimeout: answerMs,
      retryOptions: { retry, throwOnError: false },
      ...(query !== undefined && { query }),
      ...(body !== undefined && { body }),
      ...(highWaterMark !== undefined && { highWaterMark }),
      ...(signal !== undefined && { signal }),
    };
    return send(this.base + path, options);
  }

  private refused({ method, path }: Sent, { statusCode: status, headers }: Answer, body: string): Error {
    const requestId = headers['x-request-id'];
    const id = typeof requestId === 'string' && { requestId };
    return errorOf({ method, path: this.shown(path), status, ...id }, body);
  }

  /** The full path as sent: a path in the registry's address may be the mistake. */
  private shown(path: string): string {
    return new URL(this.base + path).pathname;
  }
}

type Answer = Dispatcher.ResponseData<unknown>;

async function replyOf({ statusCode: status, headers, body }: Answer): Promise<Reply> {
  return { status, headers, text: (await bytesOfBody(body)).toString() };
}

/** @returns a function that returns the result or throws its error @throws UnexpectedAnswer at once */
function outcomeOf<T>(work: () => T): () => T {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    if (error instanceof UnexpectedAnswer) throw error;
    return () => {
      throw error;
    };
  }
}

function waitAfterForeign({ message: why }: Error, foreign: number): Wait {
  return { reason: 'no registry', ms: backoffMs(foreign), why };
}

function waitAfterCut(attempt: number): Wait {
  return { reason: 'connection', ms: backoffMs(attempt) };
}

/** Undici's options; `retryOptions` reach its retry interceptor through the dispatcher. */
type RequestOptions = Parameters<typeof send>[1] & { retryOptions: RetryHandler.RetryOptions };

/** The target of a redirect without its query, which may contain anything. */
function redirectText(base: string, location: unknown): string {
  if (typeof location !== 'string' || !URL.canParse(location, base)) return '';
  return `, a redirect to ${new URL(location, base).origin}: is that the address of the registry?`;
}
