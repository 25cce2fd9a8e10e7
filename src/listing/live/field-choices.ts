import { type Evictable, PerClientSemaphore } from '../../http/limits/per-client-semaphore.js';
import { needsAssets } from '../feed-pages.js';

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
const MAX_CHOICES = 64;
const MAX_OF_CLIENT = 8;

/** A choice with its followers, in the place of the client that made it. It counts as stalled since its last follower came. */
class MadeChoice implements Evictable {
  stalledSinceMs = performance.now();
  private readonly followers = new Set<Evictable>();

  /** @param over called when it has no followers any more */
  constructor(
    readonly choice: FieldChoice,
    private readonly over: () => void,
  ) {}

  add(follower: Evictable): void {
    this.followers.add(follower);
    this.stalledSinceMs = performance.now();
  }

  leave(follower: Evictable): void {
    this.followers.delete(follower);
    if (this.followers.size === 0) this.over();
  }

  evict(): void {
    this.over();
    for (const follower of this.followers) follower.evict();
  }
}

/** The choices of those who follow, which are bounded, and those of each client as well. */
export class FieldChoices {
  private readonly places = new PerClientSemaphore({ max: MAX_CHOICES, maxPerClient: MAX_OF_CLIENT });
  private readonly made = new Map<string, MadeChoice>();

  /**
   * Counts a follower for its choice of fields.
   * @param client as the rate limits count it
   * @returns the choice, and a function to call once when its follower has gone
   * @throws ApiError 503 where there are too many different ones
   */
  enter(
    client: string,
    fields: FieldChoice['fields'],
    follower: Evictable,
  ): { choice: FieldChoice; leave: () => void } {
    const choice = choiceOf(fields);
    const free = FREE.find(({ key }) => key === choice.key);
    if (free !== undefined) return { choice: free, leave: nothing };
    const made = this.made.get(choice.key) ?? this.make(client, choice);
    made.add(follower);
    return { choice: made.choice, leave: () => made.leave(follower) };
  }

  private make(client: string, choice: FieldChoice): MadeChoice {
    const { key } = choice;
    const made: MadeChoice = new MadeChoice(choice, () => {
      leave();
      if (this.made.get(key) === made) this.made.delete(key);
    });
    const leave = this.places.enter(client, made);
    this.made.set(key, made);
    return made;
  }
}
