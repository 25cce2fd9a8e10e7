import { errors, type RetryHandler } from 'undici';
import { SERVER_COOKIE } from './cookies.js';
import { Forbidden, NotFound, RegistryError, UnexpectedAnswer } from './errors.js';
import { noConnectionText } from './no-connection.js';

/** The reason of a pause. */
export type WaitReason = 'rate limited' | 'unavailable' | 'no registry' | 'caught up' | 'another server' | 'connection';

export interface Wait {
  reason: WaitReason;
  ms: number;
  /** A sentence for operators: why the connection failed, or which unexpected answer came. */
  why?: string;
  /** A long poll: the registry answers when a change comes, at the latest after `ms`. Only at the end of the feed. */
  isLive?: true;
}

export type OnWait = (wait: Wait) => void;

/** Statuses that a proxy sends temporarily: request timeout, and misdirected request. */
const UNAVAILABLE = [408, 421];
/** The request has not left this machine, so it was not executed. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETDOWN', 'ENETUNREACH', 'EHOSTDOWN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']; // prettier-ignore
const PERHAPS_SENT = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']; // prettier-ignore
const FIRST_MS = 250;
const MAX_BACKOFF_MS = 30_000;
/** Maximum pause that a Retry-After may ask for. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/** Grows with each attempt, with jitter, so that clients do not all return at once. */
export function backoffMs(attempt: number): number {
  const maxMs = Math.min(FIRST_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS);
  return Math.ceil(maxMs * (0.5 + Math.random() / 2));
}

/** A write that fails by a defect of the registry (500, 501) is not retried, because it would fail again. */
function reasonOf(status: number, isRead: boolean): WaitReason | undefined {
  if (status === 429) return 'rate limited';
  return UNAVAILABLE.includes(status) || status >= (isRead ? 500 : 502) ? 'unavailable' : undefined;
}

/**
 * Whether a server other than a registry answered a read, such as a firewall or a proxy: a registry's errors have its own JSON body, and it never
 * answers a read with 403.
 * @param isRequired whether every registry has the resource
 */
export function isForeignAnswer(error: unknown, isRequired = false): boolean {
  if (error instanceof UnexpectedAnswer || error instanceof Forbidden || isNotHttp(error)) return true;
  if (!(error instanceof RegistryError) || error.errors.length > 0) return false;
  return reasonOf(error.status, true) === undefined && (isRequired || !(error instanceof NotFound));
}

/** Whether the answer is not HTTP, or its head is larger than undici accepts. */
function isNotHttp(error: unknown): boolean {
  return error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
}

/** The retry policy of undici's interceptor for one request. Every request of this client is safe to send twice. */
export class RetryPolicy {
  /** An attempt without an answer may have been executed. */
  mayHaveExecuted = false;

  /**
   * @param address of the registry
   * @param maxRetries maximum number of retries
   * @param isLongPoll a long poll: a failure is reported after the pause instead of being retried
   */
  constructor(
    private readonly address: string,
    private readonly maxRetries: number,
    private readonly onWait: OnWait,
    private readonly signal: AbortSignal | undefined,
    private readonly isLongPoll = false,
  ) {}

  readonly retry: RetryHandler.RetryCallback = (error, { state, opts: { method } }, callback) => {
    const wait = state.counter > this.maxRetries ? undefined : this.waitAfter(error, state.counter, method === 'GET');
    if (wait === undefined) {
      callback(error);
      return;
    }
    this.onWait(wait);
    const isOver = this.isLongPoll && wait.reason !== 'another server';
    // If aborted meanwhile, the request ends at once with its error, and the caller then checks the signal.
    after(wait.ms, this.signal, (isAborted) => callback(isAborted || isOver ? error : null));
  };

  /** @returns undefined if a retry is useless */
  private waitAfter(error: Error, attempt: number, isRead: boolean): Wait | undefined {
    const { statusCode, headers = {} } = error as Partial<errors.RequestRetryError> & { headers?: Headers };
    if (statusCode === 412) return this.waitAfter412(headers, attempt);
    if (statusCode !== undefined) return this.waitAfterStatus(statusCode, headers, attempt, isRead);
    const { code = '' } = error as NodeJS.ErrnoException;
    const isSent = PERHAPS_SENT.includes(code);
    this.mayHaveExecuted ||= isSent;
    if (this.isLongPoll || (!isSent && !NOT_SENT.includes(code))) return undefined;
    const why = noConnectionText(this.address, error);
    return { reason: 'connection', ms: backoffMs(attempt), ...(why !== undefined && { why }) };
  }

  /** Cluster mode: the cookie in the answer is already stored. A failed precondition never sets one. */
  private waitAfter412(headers: Headers, attempt: number): Wait | undefined {
    const isAnother = [headers['set-cookie'] ?? []].flat().some((cookie) => cookie.startsWith(`${SERVER_COOKIE}=`));
    if (!isAnother) return undefined;
    return { reason: 'another server', ms: attempt === 1 ? 0 : backoffMs(attempt) };
  }

  private waitAfterStatus(status: number, headers: Headers, attempt: number, isRead: boolean): Wait | undefined {
    const reason = reasonOf(status, isRead);
    const requestedMs = retryAfterMs(headers);
    if (reason === undefined || (this.isLongPoll && requestedMs === undefined)) return undefined;
    const ms = requestedMs ?? backoffMs(attempt);
    if (status === 429) return { reason, ms };
    this.mayHaveExecuted = true;
    return { reason, ms, why: `${this.address} answered ${status}` };
  }
}

type Headers = Record<string, string | string[] | undefined>;

/** Parses Retry-After: seconds, or a date. @returns undefined if it is neither */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string' || value === '') return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** @param done is called after the time, or earlier when the signal aborts */
function after(ms: number, signal: AbortSignal | undefined, done: (isAborted: boolean) => void): void {
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    done(signal?.aborted ?? false);
  };
  const timer = setTimeout(end, signal?.aborted ? 0 : ms);
  signal?.addEventListener('abort', end);
}
