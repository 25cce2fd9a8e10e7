/** A request that asks for a slot. */
export interface Arrival {
  /** How many slots it takes. */
  weight: number;
  admit: () => void;
  refuse: () => void;
}

interface QueuedRequest extends Arrival {
  sinceMs: number;
  isCancelled: boolean;
}

/** The requests of one client. */
interface ClientRequests {
  /** Slots in use. */
  admitted: number;
  /** Oldest first. */
  queue: QueuedRequest[];
}

/** Interval of the check for requests that have waited too long. */
const CHECK_MS = 50;

const nothing = (): void => undefined;

/**
 * Bounds how many requests run at once. The others wait in one queue per client and are admitted oldest first. Under overload that order
 * would answer all of them too late, so once the oldest has waited `lateMs`, the newest is admitted first. A request that waits longer than
 * `maxWaitMs` is refused. A client may use as many slots as it leaves free, so other clients always find some. The next slot goes to the
 * waiting client with the fewest.
 */
export class AdmissionControl {
  private readonly clients = new Map<string, ClientRequests>();
  private admitted = 0;
  private isAdmitting = false;
  private check: NodeJS.Timeout | undefined;

  /**
   * @param slots of one client that is alone; all clients together have fewer than twice as many
   * @param lateMs once the oldest request of a client has waited this long, its newest is admitted first
   * @param maxWaitMs a request that has waited this long is refused
   */
  constructor(
    private readonly slots: number,
    private readonly lateMs: number,
    private readonly maxWaitMs: number,
  ) {}

  /**
   * Calls `admit`, now or later, or `refuse`. An admitted request calls `release` once.
   * @returns a function that cancels a queued request, for when its client disconnects
   */
  enter(client: string, arrival: Arrival): () => void {
    const requests = this.clients.get(client) ?? { admitted: 0, queue: [] };
    this.clients.set(client, requests);
    if (this.hasSlotFor(requests)) {
      this.admit(requests, arrival);
      return nothing;
    }
    const queued = { ...arrival, sinceMs: performance.now(), isCancelled: false };
    requests.queue.push(queued);
    this.check ??= setInterval(() => this.refuseLate(), CHECK_MS);
    return () => (queued.isCancelled = true);
  }

  /** Gives back the slots of an admitted request. */
  release(client: string, weight: number): void {
    const requests = this.clients.get(client) as ClientRequests;
    requests.admitted -= weight;
    this.admitted -= weight;
    this.forgetIfIdle(client, requests);
    if (!this.isAdmitting) this.admitQueued();
  }

  /** A loop, not a recursion, because `admit` may release its slot synchronously. */
  private admitQueued(): void {
    this.isAdmitting = true;
    for (let requests = this.nextClient(); requests !== undefined; requests = this.nextClient()) {
      const next = this.takeNext(requests);
      if (!next.isCancelled) this.admit(requests, next);
    }
    this.isAdmitting = false;
  }

  private hasSlotFor(requests: ClientRequests): boolean {
    return this.admitted + requests.admitted < 2 * this.slots;
  }

  private admit(requests: ClientRequests, { weight, admit }: Arrival): void {
    requests.admitted += weight;
    this.admitted += weight;
    admit();
  }

  private nextClient(): ClientRequests | undefined {
    let next: ClientRequests | undefined;
    for (const requests of this.clients.values()) {
      if (requests.queue.length === 0 || requests.admitted >= (next?.admitted ?? Infinity)) continue;
      if (this.hasSlotFor(requests)) next = requests;
    }
    return next;
  }

  private takeNext({ queue }: ClientRequests): QueuedRequest {
    const [oldest] = queue as [QueuedRequest];
    const isLate = performance.now() - oldest.sinceMs > this.lateMs;
    return (isLate ? queue.pop() : queue.shift()) as QueuedRequest;
  }

  private refuseLate(): void {
    const latestMs = performance.now() - this.maxWaitMs;
    let isAnyQueued = false;
    for (const [client, requests] of this.clients) {
      const late = requests.queue.filter(({ sinceMs }) => sinceMs <= latestMs);
      requests.queue = requests.queue.filter(({ sinceMs }) => sinceMs > latestMs);
      for (const { isCancelled, refuse } of late) if (!isCancelled) refuse();
      isAnyQueued ||= requests.queue.length > 0;
      this.forgetIfIdle(client, requests);
    }
    if (isAnyQueued) return;
    clearInterval(this.check);
    this.check = undefined;
  }

  private forgetIfIdle(client: string, { admitted, queue }: ClientRequests): void {
    if (admitted + queue.length === 0) this.clients.delete(client);
  }
}
