import { unavailable } from '../errors/errors.js';

/** A client that may lose its place, and has to ask again. */
export interface Evictable {
  evict(): void;
}

/**
 * Places for what may take long, as clients may be slow. Addresses share them: where all are taken, whoever comes from an address that has few takes the
 * place of one from the address that has the most, and each has the same share at last.
 */
export class SharedPlaces {
  private readonly holders = new Map<string, Set<Evictable>>();
  private taken = 0;

  /** @param most how many there are */
  constructor(private readonly most: number) {}

  /** How many are taken. */
  get count(): number {
    return this.taken;
  }

  /**
   * Takes a place.
   * @param address as the rate limits count it
   * @returns a function to call when it has gone (further calls do nothing)
   * @throws ApiError 503 where its address has its share already
   */
  enter(address: string, holder: Evictable): () => void {
    if (this.taken >= this.most) this.makeRoomFor(address);
    const own = this.holders.get(address) ?? new Set();
    this.holders.set(address, own.add(holder));
    this.taken++;
    return () => this.leave(address, holder);
  }

  /** Whoever has one. */
  *all(): Generator<Evictable> {
    for (const holders of this.holders.values()) yield* holders;
  }

  private makeRoomFor(address: string): void {
    let [most, counted] = ['', 0];
    for (const [name, { size }] of this.holders) if (size > counted) [most, counted] = [name, size];
    if ((this.holders.get(address)?.size ?? 0) + 1 >= counted)
      throw unavailable('places_taken', 'Too many of these are under way: try again soon');
    const [oldest] = this.holders.get(most) ?? [];
    if (oldest === undefined) return;
    this.leave(most, oldest);
    oldest.evict();
  }

  private leave(address: string, holder: Evictable): void {
    const holders = this.holders.get(address);
    if (holders?.delete(holder) !== true) return;
    this.taken--;
    if (holders.size === 0) this.holders.delete(address);
  }
}
