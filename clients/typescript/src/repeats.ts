import type { errors, RetryHandler } from 'undici';
import { SERVER_COOKIE } from './cookies.js';
import type { ConnectionFailed } from './errors.js';
import { noConnectionText } from './no-connection.js';

/** Why nothing happens for a while. */
export type WaitReason = 'rate limited' | 'unavailable' | 'caught up' | 'another server' | 'connection';

export interface Wait {
  reason: WaitReason;
  ms: number;
  /** A sentence for people: where nothing can be sent to the registry at all. */
  why?: string;
  /** The registry answers as soon as there is something, and within `ms` in any case. Only where it was asked to, at the end of the feed. */
  isLive?: true;
}

export type OnWait = (wait: Wait) => void;

const REASON_OF_STATUS: Readonly<Record<number, WaitReason>> = {
  429: 'rate limited',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};
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

/** @returns false where the request cannot have left this machine */
export function wasSent({ cause }: ConnectionFailed): boolean {
  return !NOT_SENT.includes((cause as NodeJS.ErrnoException).code ?? '');
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

  readonly retry: RetryHandler.RetryCallback = (error, { state }, callback) => {
    const wait = state.counter > this.most ? undefined : this.waitAfter(error, state.counter);
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
  private waitAfter(error: Error, attempt: number): Wait | undefined {
    const { statusCode, headers = {} } = error as Partial<errors.RequestRetryError> & { headers?: Headers };
    if (statusCode === 412) return this.waitAfter412(headers, attempt);
    if (statusCode !== undefined) return this.waitAfterStatus(statusCode, headers, attempt);
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

  private waitAfterStatus(status: number, headers: Headers, attempt: number): Wait | undefined {
    const reason = REASON_OF_STATUS[status];
    const askedMs = retryAfterMs(headers);
    if (reason === undefined || (this.isHeld && askedMs === undefined)) return undefined;
    if (status !== 429) this.perhapsDone = true;
    return { reason, ms: askedMs ?? backoffMs(attempt) };
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
