import { unavailable } from '../../platform/errors/errors.js';

/** A newcomer may evict a client that has read nothing for this long. */
const STALLED_MS = 2_000;

/** The holder of a slot, which a newcomer may evict. */
export interface Evictable {
  /** When the client stopped reading, by the monotonic clock in milliseconds; undefined while it reads, or if that is unknown. */
  readonly stalledSinceMs?: number | undefined;
  evict(): void;
}

/** The number of slots, and how many of them one client may have. */
interface Bounds {
  max: number;
  maxPerClient?: number;
}

/**
 * A semaphore for long work, such as sending to slow clients. When it is full, a newcomer evicts: the client with the most slots loses one to a
 * client with few, and a stalled client loses its slot to a client without one.
 */
export class PerClientSemaphore {
  private readonly holders = new Map<string, Set<Evictable>>();
  private used = 0;

  constructor(private readonly bounds: Bounds) {}

  /** Slots in use. */
  get count(): number {
    return this.used;
  }

  /**
   * Takes a slot.
   * @param client see `RateLimits.clientOf`
   * @returns a function that frees the slot; further calls do nothing
   * @throws ApiError 503 if the client has its share already, or no slot can be freed for it
   */
  enter(client: string, holder: Evictable): () => void {
    const own = this.holders.get(client) ?? new Set();
    const { max, maxPerClient = max } = this.bounds;
    if (own.size >= maxPerClient) throw refused();
    if (this.used >= max) this.evictFor(own.size);
    this.holders.set(client, own.add(holder));
    this.used++;
    return () => this.leave(client, holder);
  }

  /** The holders of all slots. */
  *all(): Generator<Evictable> {
    for (const holders of this.holders.values()) yield* holders;
  }

  /** @param own slots of the newcomer's client */
  private evictFor(own: number): void {
    const [busiest, most] = [...this.holders].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    if (own + 1 < most.size) return this.evict(busiest, longestStalled(most));
    const stalled = own === 0 ? longestStalled(this.all()) : undefined;
    if (stalled === undefined || stalledMs(stalled) < STALLED_MS) throw refused();
    for (const [client, holders] of this.holders) if (holders.has(stalled)) this.evict(client, stalled);
  }

  private evict(client: string, holder: Evictable): void {
    this.leave(client, holder);
    holder.evict();
  }

  private leave(client: string, holder: Evictable): void {
    const holders = this.holders.get(client);
    if (holders?.delete(holder) !== true) return;
    this.used--;
    if (holders.size === 0) this.holders.delete(client);
  }
}

function refused(): Error {
  return unavailable('places_taken', 'Too many of these are under way: try again soon');
}

function stalledMs({ stalledSinceMs }: Evictable): number {
  return stalledSinceMs === undefined ? 0 : performance.now() - stalledSinceMs;
}

/** The holder stalled for longest; of equals, the oldest. */
function longestStalled(holders: Iterable<Evictable>): Evictable {
  return [...holders].reduce((one, other) => (stalledMs(other) > stalledMs(one) ? other : one));
}
