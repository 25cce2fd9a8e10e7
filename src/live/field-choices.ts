import { unavailable } from '../errors/errors.js';
import { needsAssets } from '../listing/feed-pages.js';

/** With which fields of assets entries are sent; one object for all who chose the same. */
export interface FieldChoice {
  fields: readonly string[] | '*';
  /** Equal for equal fields. */
  key: string;
  /** Whether its entries are made of whole assets. */
  isWhole: boolean;
}

/** The choice of some fields. @param fields as the query names them; `*` for all */
export function choiceOf(fields: FieldChoice['fields']): FieldChoice {
  return { fields, key: String(fields), isWhole: needsAssets(fields) };
}

/** What most ask for. */
const FREE: readonly FieldChoice[] = [choiceOf([]), choiceOf('*')];
const nothing = (): void => undefined;
/** A page is printed once for each choice. Those that are free do not count. */
const MOST_CHOICES = 64;
const MOST_OF_AN_ADDRESS = 8;

/** The choices of those who follow, which are bounded, of each address too. */
export class FieldChoices {
  /** How many of each address made it. */
  private readonly made = new Map<string, { choice: FieldChoice; addresses: Map<string, number> }>();

  /**
   * Counts a follower for its choice of fields.
   * @param address as the rate limits count it
   * @returns the choice, and a function to call once when its follower has gone
   * @throws ApiError 503 where there are too many different ones
   */
  enter(address: string, fields: FieldChoice['fields']): { choice: FieldChoice; leave: () => void } {
    const choice = choiceOf(fields);
    const free = FREE.find(({ key }) => key === choice.key);
    if (free !== undefined) return { choice: free, leave: nothing };
    const { key } = choice;
    const known = this.made.get(key) ?? { choice, addresses: new Map<string, number>() };
    if (!known.addresses.has(address)) this.check(address, known.addresses.size === 0);
    this.made.set(key, known);
    known.addresses.set(address, (known.addresses.get(address) ?? 0) + 1);
    return { choice: known.choice, leave: () => this.leave(key, address) };
  }

  private check(address: string, isNew: boolean): void {
    const own = [...this.made.values()].filter(({ addresses }) => addresses.has(address)).length;
    if (own >= MOST_OF_AN_ADDRESS || (isNew && this.made.size >= MOST_CHOICES))
      throw unavailable(
        'places_taken',
        'Too many different choices of opt_fields are followed: try without, or with *',
      );
  }

  private leave(key: string, address: string): void {
    const { addresses } = this.made.get(key) ?? {};
    const left = (addresses?.get(address) ?? 0) - 1;
    if (left > 0) addresses?.set(address, left);
    else addresses?.delete(address);
    if (addresses?.size === 0) this.made.delete(key);
  }
}
