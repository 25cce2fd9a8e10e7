import { apiKeyFrom } from '../auth/api-key.js';
import type { Config } from '../platform/config/config.js';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import type { UnavailableError } from '../platform/errors/api-error.js';
import { unavailable } from '../platform/errors/errors.js';
import { Answer, writeAnswer } from '../http/answer.js';
import { isPagePath } from '../http/page-paths.js';
import {
  type AdmissionSlot,
  type AdmissionMiddleware,
  isWrite,
  type RegistryRequest,
  type RegistryResponse,
} from '../http/request.js';
import { targetOf } from '../http/request-target.js';
import { AdmissionControl, type Arrival } from './admission-control.js';

/** Four times the size of the connection pool, so that no connection idles. */
const MAX_READS = 64;
/** Two batches of the ledger: the running one and the next. */
const MAX_WRITES = 128;
/** A write takes one slot per this many bytes of its body, so that slots bound memory too: one change's share of a full batch. */
const BYTES_PER_SLOT = 32 * 1024;
const LATE_MS = 500;
/** All reads, and writes without a key, count as one client. Rate limits keep these clients fair to each other. */
const ANONYMOUS = '';

const overloaded = (): UnavailableError => unavailable('overload');

/**
 * Middleware for admission control. Reads and writes have separate slots, so that neither blocks the other; keys share the write slots fairly.
 * Health checks need no slot. A request that waits too long is answered 503.
 */
export function admission({ bodyLimit }: Pick<Config, 'bodyLimit'>): AdmissionMiddleware {
  const { admission: maxWaitMs } = TIME_BUDGETS_MS;
  const reads = new AdmissionControl(MAX_READS, LATE_MS, maxWaitMs);
  const writes = new AdmissionControl(MAX_WRITES, LATE_MS, maxWaitMs);
  const error = overloaded();
  const refusal = new Answer(error.status, error.body(), error.headers);
  return (request, response, next) => {
    const { path } = targetOf(request);
    // Health checks have other paths, and static files cost nothing.
    if (!path.startsWith('/api/') && !isPagePath(path)) {
      next();
      return;
    }
    const slot = isWrite(request)
      ? new RequestSlot(writes, response, writeWeight(request, bodyLimit), apiKeyFrom(request.headers.authorization))
      : new RequestSlot(reads, response);
    request.slot = slot;
    // Written directly, because throwing is slower and overload refuses many requests.
    const refuse = (): void => {
      request.unavailable = error.reason;
      writeAnswer(response, refusal);
    };
    slot.acquire(next, refuse);
  };
}

/** A body of unknown length counts as the largest. */
function writeWeight({ headers }: RegistryRequest, bodyLimit: number): number {
  const length = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : bodyLimit;
  return Math.max(1, Math.ceil(Math.min(length, bodyLimit) / BYTES_PER_SLOT));
}

class RequestSlot implements AdmissionSlot {
  private isAdmitted = false;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly control: AdmissionControl,
    private readonly response: RegistryResponse,
    private readonly weight = 1,
    private readonly client = ANONYMOUS,
  ) {
    // Released when the answer is ready, not when the client has read it: slow clients would occupy all slots.
    response.whenAnswered = () => this.release();
    response.once('close', () => {
      this.cancel();
      this.release();
    });
  }

  acquire(admit: () => void, refuse: () => void): void {
    const arrival: Arrival = {
      weight: this.weight,
      admit: () => {
        this.isAdmitted = true;
        admit();
      },
      refuse,
    };
    this.cancel = this.control.enter(this.client, arrival);
  }

  release(): void {
    if (!this.isAdmitted) return;
    this.isAdmitted = false;
    this.control.release(this.client, this.weight);
  }

  reacquire(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.response.destroyed) this.acquire(resolve, () => reject(overloaded()));
    });
  }
}
