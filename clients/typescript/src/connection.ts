import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, cacheStores, type Dispatcher, errors, interceptors, request as send, type RetryHandler } from 'undici';
import { AnswerCut, attempting } from './attempt.js';
import { Cookies } from './cookies.js';
import { ConnectionFailed, errorOf, RegistryError, UnexpectedAnswer } from './errors.js';
import { noConnectionText } from './no-connection.js';
import { bytesOfBody } from './read-answer.js';
import { backoffMs, isOddAnswer, type OnWait, Repeats, type Wait } from './repeats.js';

/** What is kept of assets that were read, so that one that did not change is not sent again. */
const KEPT = { maxCount: 1_000, maxSize: 16 * 1024 * 1024 };
const KEPT_SECONDS = 86_400;
const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
/** Odd answers in a row to one read that are repeated, with growing pauses: about five minutes. Source: the README's "What happens by itself". */
const MAX_ODD_ANSWERS = 20;
/** The same before the first answer of a registry, unless `retries` is Infinity: a mistyped address fails within two seconds. */
const MAX_ODD_AT_FIRST = 3;
/** An answer that is read as it comes has an alternative, pages: a client that repeats for ever turns to them after about two minutes. */
const MAX_REPEATS_TO_OPEN = 10;

interface ConnectionOptions {
  retries: number;
  onWait: OnWait;
  userAgent: string;
  /** What every request is given up by. */
  signal?: AbortSignal | undefined;
}

export interface Sent {
  method: 'GET' | 'POST' | 'PATCH';
  /** Below the registry's address, such as `/api/0.1/assets`. */
  path: string;
  /** A list is sent as a parameter that is given several times. */
  query?: Record<string, string | string[]>;
  headers?: Record<string, string>;
  body?: string;
  /** Answered from what is kept, where the registry says that it did not change. */
  isKept?: boolean;
  /** Of an answer that is read as it comes: how many bytes are held for its reader. */
  highWaterMark?: number;
  /** How long until the answer begins. */
  answerMs?: number;
  /** The registry holds it: it is not repeated, as whoever sent it may ask in another way. */
  isHeld?: boolean;
  /** Every registry has this resource, so a 404 without an error of a registry comes from somebody else. */
  isAlwaysThere?: boolean;
  signal?: AbortSignal | undefined;
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** An answer of less than 400 that leads nowhere else. */
export interface Reply {
  status: number;
  headers: AnswerHeaders;
  text: string;
}

/** Sends requests to one registry, and repeats them as the registry asks for it. */
export class Connection {
  readonly #cookies = new Cookies();
  readonly #agent = new Agent({ connect: { timeout: CONNECT_MS }, bodyTimeout: ANSWER_MS });
  readonly #repeating: Dispatcher;
  readonly #keeping: Dispatcher;
  #hasAnswered = false;

  /** @param base the registry's address without a slash at its end */
  constructor(
    private readonly base: string,
    private readonly options: ConnectionOptions,
  ) {
    // Undici asks the Repeats of each request; its own rules are for any server.
    const repeats = interceptors.retry({ throwOnError: false });
    this.#repeating = this.#agent.compose(attempting(this.#cookies), repeats);
    const store = new cacheStores.MemoryCacheStore(KEPT);
    this.#keeping = this.#repeating.compose(
      interceptors.cache({ store, type: 'private', cacheByDefault: KEPT_SECONDS }),
    );
  }

  /** What decides on the repeats of one request. */
  repeats(signal: AbortSignal | undefined, isHeld = false, most = this.options.retries): Repeats {
    return new Repeats(this.base, most, this.options.onWait, signal, isHeld);
  }

  /**
   * Sends a request until there is a whole answer.
   * @throws RegistryError for a status of 400 or above
   * @throws ConnectionFailed when there is no whole answer
   */
  exchange(sent: Sent, repeats = this.repeats(sent.signal, sent.isHeld)): Promise<Reply> {
    return this.whole(sent, repeats, replyOf);
  }

  /**
   * As `exchange`, and repeats a GET whose answer is not one of a registry.
   * @param parse throws UnexpectedAnswer for such an answer; its other errors are thrown as they are
   */
  async read<T>(sent: Sent, parse: (reply: Reply) => T): Promise<T> {
    const result = await this.whole(sent, this.repeats(sent.signal, sent.isHeld), async (answer) => {
      const reply = await replyOf(answer);
      return outcomeOf(() => parse(reply));
    });
    this.#hasAnswered = true;
    return result();
  }

  /** As `exchange`, for what is no text. */
  exchangeBytes(sent: Sent): Promise<Buffer> {
    return this.whole(sent, this.repeats(sent.signal), ({ body }) => bytesOfBody(body));
  }

  /**
   * Sends a request until an answer begins that is read as it comes. Where it is cut, its body fails.
   * @throws RegistryError for a status of 400 or above
   * @throws ConnectionFailed when there is no answer
   */
  async open(sent: Sent): Promise<Answer> {
    try {
      const most = Math.min(this.options.retries, MAX_REPEATS_TO_OPEN);
      return await this.accepted(sent, this.repeats(sent.signal, false, most));
    } catch (error) {
      throw this.failed(sent, error);
    }
  }

  /** @throws the signal's reason when it is given up */
  async wait(wait: Wait, signal: AbortSignal | undefined): Promise<void> {
    this.options.onWait(wait);
    try {
      await sleep(wait.ms, undefined, { signal });
    } catch {
      signal?.throwIfAborted();
    }
  }

  /** Ends every connection; requests under way fail. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }

  private async whole<T>(sent: Sent, repeats: Repeats, read: (answer: Answer) => Promise<T>): Promise<T> {
    let odd = 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(await this.accepted(sent, repeats));
      } catch (error) {
        odd = sent.method === 'GET' && isOddAnswer(error, sent.isAlwaysThere) ? odd + 1 : 0;
        const isRepeated = error instanceof AnswerCut || (odd > 0 && odd <= this.maxOddAnswers);
        const isLast = attempt > this.options.retries || sent.isHeld || sent.signal?.aborted;
        if (!isRepeated || isLast) throw this.failed(sent, error);
        repeats.perhapsDone = true;
        await this.wait(odd > 0 ? waitAfterOdd(error as Error, odd) : waitAfterCut(attempt), sent.signal);
      }
    }
  }

  private get maxOddAnswers(): number {
    return this.#hasAnswered || this.options.retries === Infinity ? MAX_ODD_ANSWERS : MAX_ODD_AT_FIRST;
  }

  /** What a caller is told of `error`, which may be any. */
  private failed({ method, path, signal }: Sent, error: unknown): unknown {
    if (signal?.aborted) return signal.reason;
    if (error instanceof RegistryError || error instanceof UnexpectedAnswer) return error;
    if (error instanceof errors.InvalidArgumentError) return error;
    const cause = (error instanceof AnswerCut ? error.cause : error) as NodeJS.ErrnoException;
    const text = `${method} ${this.shown(path)} got no whole answer (${cause.code ?? cause.message})`;
    return new ConnectionFailed(noConnectionText(this.base, cause) ?? text, { cause: error });
  }

  private async accepted(sent: Sent, repeats: Repeats): Promise<Answer> {
    const answer = await this.begin(sent, repeats);
    const { statusCode, headers, body } = answer;
    if (statusCode < 300 || statusCode === 304) return answer;
    if (statusCode >= 400) throw this.refused(sent, answer, (await bytesOfBody(body)).toString());
    await body.dump();
    const { method, path } = sent;
    throw new UnexpectedAnswer(
      `${method} ${this.shown(path)} was answered with ${statusCode}${leadsTo(this.base, headers['location'])}`,
    );
  }

  private begin(sent: Sent, { retry }: Repeats): Promise<Answer> {
    const { method, path, query, headers, body, isKept = false, answerMs = ANSWER_MS, signal, highWaterMark } = sent;
    signal?.throwIfAborted();
    const options: RequestOptions = {
      method,
      dispatcher: isKept ? this.#keeping : this.#repeating,
      headers: { 'user-agent': this.options.userAgent, ...headers, ...(isKept && { 'cache-control': 'no-cache' }) },
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

  /** As it was sent: where the registry's address has a path, that may be what is wrong. */
  private shown(path: string): string {
    return new URL(this.base + path).pathname;
  }
}

type Answer = Dispatcher.ResponseData<unknown>;

async function replyOf({ statusCode: status, headers, body }: Answer): Promise<Reply> {
  return { status, headers, text: (await bytesOfBody(body)).toString() };
}

/** @returns what gives the result or throws its error @throws UnexpectedAnswer at once */
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

function waitAfterOdd({ message: why }: Error, odd: number): Wait {
  return { reason: 'no registry', ms: backoffMs(odd), why };
}

function waitAfterCut(attempt: number): Wait {
  return { reason: 'connection', ms: backoffMs(attempt) };
}

/** As undici takes them; `retryOptions` reach its retry interceptor through the dispatcher. */
type RequestOptions = Parameters<typeof send>[1] & { retryOptions: RetryHandler.RetryOptions };

/** Where somebody else answers, or the registry by another address; without what stands behind that, which may be anything. */
function leadsTo(base: string, location: unknown): string {
  if (typeof location !== 'string' || !URL.canParse(location, base)) return '';
  return `, which leads to ${new URL(location, base).origin}: is that the address of the registry?`;
}
