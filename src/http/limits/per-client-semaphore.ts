import { unavailable } from '../../platform/errors/errors.js';

/** For so long a client takes nothing before a newcomer may have its place. */
const STALLED_MS = 2_000;

/** A client that may lose its place, and has to ask again. */
export interface Evictable {
  /** Since when it has taken nothing, by the monotonic clock in milliseconds; undefined while it is served, or where that is not known. */
  readonly stalledSinceMs?: number | undefined;
  evict(): void;
}

/** How many places there are, and how many of them one client may have. */
interface Bounds {
  most: number;
  mostOfOne?: number;
}

/**
 * A semaphore that clients share, for what may take long, as clients may be slow. Where it is full it gives way to newcomers: the client with the
 * most places loses one to a client with few, and a client that takes nothing loses its own to a client with none.
 */
export class PerClientSemaphore {
  private readonly holders = new Map<string, Set<Evictable>>();
  private taken = 0;

  constructor(private readonly bounds: Bounds) {}

  /** How many are taken. */
  get count(): number {
    return this.taken;
  }

  /**
   * Takes a place.
   * @param client as the rate limits count it
   * @returns a function to call when it has gone (further calls do nothing)
   * @throws ApiError 503 where the client has its share already, or all others are served
   */
  enter(client: string, holder: Evictable): () => void {
    const own = this.holders.get(client) ?? new Set();
    const { most, mostOfOne = most } = this.bounds;
    if (own.size >= mostOfOne) throw refused();
    if (this.taken >= most) this.makeRoomFor(own.size);
    this.holders.set(client, own.add(holder));
    this.taken++;
    return () => this.leave(client, holder);
  }

  /** Whoever has one. */
  *all(): Generator<Evictable> {
    for (const holders of this.holders.values()) yield* holders;
  }

  /** @param own places that the newcomer has */
  private makeRoomFor(own: number): void {
    const [greediest, most] = [...this.holders].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    if (own + 1 < most.size) return this.evict(greediest, longestStalled(most));
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
    this.taken--;
    if (holders.size === 0) this.holders.delete(client);
  }
}

function refused(): Error {
  return unavailable('places_taken', 'Too many of these are under way: try again soon');
}

function stalledMs({ stalledSinceMs }: Evictable): number {
  return stalledSinceMs === undefined ? 0 : performance.now() - stalledSinceMs;
}

/** Of those that are stalled as long the one that came first. */
function longestStalled(holders: Iterable<Evictable>): Evictable {
  return [...holders].reduce((one, other) => (stalledMs(other) > stalledMs(one) ? other : one));
}
