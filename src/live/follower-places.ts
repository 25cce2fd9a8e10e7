import { unavailable } from '../errors/errors.js';

/** Who may be asked to come again. */
export interface Guest {
  giveWay(): void;
}

/**
 * How many wait for changes at once. Addresses share the places: where all are taken, whoever comes from an address that has few takes the
 * place of one from the address that has the most, and each has the same share at last.
 */
export class FollowerPlaces {
  private readonly guests = new Map<string, Set<Guest>>();
  private taken = 0;

  constructor(private readonly most: number) {}

  get count(): number {
    return this.taken;
  }

  /**
   * @param address as the rate limits count it
   * @returns a function to call when it has gone (further calls do nothing)
   * @throws ApiError 503 where its address has its share already
   */
  enter(address: string, guest: Guest): () => void {
    if (this.taken >= this.most) this.makeRoomFor(address);
    const own = this.guests.get(address) ?? new Set();
    this.guests.set(address, own.add(guest));
    this.taken++;
    return () => this.leave(address, guest);
  }

  /** Whoever waits now. */
  *all(): Generator<Guest> {
    for (const guests of this.guests.values()) yield* guests;
  }

  private makeRoomFor(address: string): void {
    let [most, counted] = ['', 0];
    for (const [name, { size }] of this.guests) if (size > counted) [most, counted] = [name, size];
    if ((this.guests.get(address)?.size ?? 0) + 1 >= counted) throw unavailable('Too many follow the changes');
    const [oldest] = this.guests.get(most) ?? [];
    if (oldest === undefined) return;
    this.leave(most, oldest);
    oldest.giveWay();
  }

  private leave(address: string, guest: Guest): void {
    const guests = this.guests.get(address);
    if (guests?.delete(guest) !== true) return;
    this.taken--;
    if (guests.size === 0) this.guests.delete(address);
  }
}
