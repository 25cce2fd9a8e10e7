import { unavailable } from '../errors/errors.js';

/** Who may be asked to come again. */
export interface Evictable {
  giveWay(): void;
}

/**
 * How many wait for changes at once. Addresses share the places: where all are taken, whoever comes from an address that has few takes the
 * place of one from the address that has the most, and each has the same share at last.
 */
export class FollowerPlaces {
  private readonly followers = new Map<string, Set<Evictable>>();
  private taken = 0;

  /** @param most how many may wait at once */
  constructor(private readonly most: number) {}

  /** How many wait now. */
  get count(): number {
    return this.taken;
  }

  /**
   * Takes a place.
   * @param address as the rate limits count it
   * @returns a function to call when it has gone (further calls do nothing)
   * @throws ApiError 503 where its address has its share already
   */
  enter(address: string, follower: Evictable): () => void {
    if (this.taken >= this.most) this.makeRoomFor(address);
    const own = this.followers.get(address) ?? new Set();
    this.followers.set(address, own.add(follower));
    this.taken++;
    return () => this.leave(address, follower);
  }

  /** Whoever waits now. */
  *all(): Generator<Evictable> {
    for (const followers of this.followers.values()) yield* followers;
  }

  private makeRoomFor(address: string): void {
    let [most, counted] = ['', 0];
    for (const [name, { size }] of this.followers) if (size > counted) [most, counted] = [name, size];
    if ((this.followers.get(address)?.size ?? 0) + 1 >= counted) throw unavailable('Too many follow the changes');
    const [oldest] = this.followers.get(most) ?? [];
    if (oldest === undefined) return;
    this.leave(most, oldest);
    oldest.giveWay();
  }

  private leave(address: string, follower: Evictable): void {
    const followers = this.followers.get(address);
    if (followers?.delete(follower) !== true) return;
    this.taken--;
    if (followers.size === 0) this.followers.delete(address);
  }
}
