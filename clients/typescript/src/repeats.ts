import { errors, type RetryHandler } from 'undici';
import { SERVER_COOKIE } from './cookies.js';
import { Forbidden, NotFound, RegistryError, UnexpectedAnswer } from './errors.js';
import { noConnectionText } from './no-connection.js';

/** Why nothing happens for a while. */
export type WaitReason = 'rate limited' | 'unavailable' | 'no registry' | 'caught up' | 'another server' | 'connection';

export interface Wait {
  reason: WaitReason;
  ms: number;
  /** A sentence for people: why there is no connection, or what was answered instead of what was asked for. */
  why?: string;
  /** The registry answers as soon as there is something, and within `ms` in any case. Only where it was asked to, at the end of the feed. */
  isLive?: true;
}

export type OnWait = (wait: Wait) => void;

/** Too slow, and sent to a server that is not the registry's: a proxy says so for a moment. */
const UNAVAILABLE = [408, 421];
/** The request has not left this machine: whatever it asks for is not done. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETDOWN', 'ENETUNREACH', 'EHOSTDOWN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']; // prettier-ignore
const PERHAPS_SENT = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']; // prettier-ignore
const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** Of what a Retry-After may ask for. */
const LONGEST_ASKED_MS = 86_400_000;

/** Grows with each attempt, and is somewhat different for each client, so that they do not come back all at once. */
export function backoffMs(attempt: number): number {
  const most = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS);
  return Math.ceil(most * (0.5 + Math.random() / 2));
}

/** A write that fails by a defect of the registry (500, 501) is not repeated: it would fail again. */
function reasonOf(status: number, isRead: boolean): WaitReason | undefined {
  if (status === 429) return 'rate limited';
  return UNAVAILABLE.includes(status) || status >= (isRead ? 500 : 502) ? 'unavailable' : undefined;
}

/**
 * Whether somebody else than a registry answered a read, such as a firewall or a proxy: a registry names what is wrong, and never answers a
 * read with 403.
 * @param isAlwaysThere whether every registry has what was asked for
 */
export function isOddAnswer(error: unknown, isAlwaysThere = false): boolean {
  if (error instanceof UnexpectedAnswer || error instanceof Forbidden || isNoHttp(error)) return true;
  if (!(error instanceof RegistryError) || error.errors.length > 0) return false;
  return reasonOf(error.status, true) === undefined && (isAlwaysThere || !(error instanceof NotFound));
}

/** Whether what came is not HTTP, or has a head larger than undici reads. */
function isNoHttp(error: unknown): boolean {
  return error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
}

/** How undici's retry interceptor repeats one request. Every request of this client may be sent twice. */
export class Repeats {
  /** An attempt without an answer may have done its work. */
  perhapsDone = false;

  /**
   * @param address of the registry
   * @param most repeats of the request
   * @param isHeld the registry holds the request: whoever sent it is told of a failure, after the pause that was asked for
   */
  constructor(
    private readonly address: string,
    private readonly most: number,
    private readonly onWait: OnWait,
    private readonly signal: AbortSignal | undefined,
    private readonly isHeld = false,
  ) {}

  readonly retry: RetryHandler.RetryCallback = (error, { state, opts: { method } }, callback) => {
    const wait = state.counter > this.most ? undefined : this.waitAfter(error, state.counter, method === 'GET');
    if (wait === undefined) {
      callback(error);
      return;
    }
    this.onWait(wait);
    const isOver = this.isHeld && wait.reason !== 'another server';
    // Whoever gives up meanwhile is told at once: the request ends with the error that it had, and its sender looks at the signal.
    after(wait.ms, this.signal, (isGivenUp) => callback(isGivenUp || isOver ? error : null));
  };

  /** @returns undefined when a repeat would change nothing */
  private waitAfter(error: Error, attempt: number, isRead: boolean): Wait | undefined {
    const { statusCode, headers = {} } = error as Partial<errors.RequestRetryError> & { headers?: Headers };
    if (statusCode === 412) return this.waitAfter412(headers, attempt);
    if (statusCode !== undefined) return this.waitAfterStatus(statusCode, headers, attempt, isRead);
    const { code = '' } = error as NodeJS.ErrnoException;
    const isSent = PERHAPS_SENT.includes(code);
    this.perhapsDone ||= isSent;
    if (this.isHeld || (!isSent && !NOT_SENT.includes(code))) return undefined;
    const why = noConnectionText(this.address, error);
    return { reason: 'connection', ms: backoffMs(attempt), ...(why !== undefined && { why }) };
  }

  /** Cluster mode: the cookie that came with it is already kept. A precondition that fails never brings one. */
  private waitAfter412(headers: Headers, attempt: number): Wait | undefined {
    const isAnother = [headers['set-cookie'] ?? []].flat().some((cookie) => cookie.startsWith(`${SERVER_COOKIE}=`));
    if (!isAnother) return undefined;
    return { reason: 'another server', ms: attempt === 1 ? 0 : backoffMs(attempt) };
  }

  private waitAfterStatus(status: number, headers: Headers, attempt: number, isRead: boolean): Wait | undefined {
    const reason = reasonOf(status, isRead);
    const askedMs = retryAfterMs(headers);
    if (reason === undefined || (this.isHeld && askedMs === undefined)) return undefined;
    const ms = askedMs ?? backoffMs(attempt);
    if (status === 429) return { reason, ms };
    this.perhapsDone = true;
    return { reason, ms, why: `${this.address} answered ${status}` };
  }
}

type Headers = Record<string, string | string[] | undefined>;

/** Retry-After: seconds, or a date. @returns undefined where it says neither */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string' || value === '') return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), LONGEST_ASKED_MS);
}

/** @param done is told when the time is over, or earlier that the signal gives up */
function after(ms: number, signal: AbortSignal | undefined, done: (isGivenUp: boolean) => void): void {
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    done(signal?.aborted ?? false);
  };
  const timer = setTimeout(end, signal?.aborted ? 0 : ms);
  signal?.addEventListener('abort', end);
}
