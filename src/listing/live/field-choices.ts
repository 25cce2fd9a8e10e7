import { type Evictable, PerClientSemaphore } from '../../http/limits/per-client-semaphore.js';
import { needsAssets } from '../feed-pages.js';

/** Fields of assets to include in entries; one object for all followers with the same fields. */
export interface FieldChoice {
  fields: readonly string[] | '*';
  /** Equal for equal fields. */
  key: string;
  /** Whether its entries require whole assets. */
  isWhole: boolean;
}

/** @param fields as in the query; `*` for all */
export function choiceOf(fields: FieldChoice['fields']): FieldChoice {
  return { fields, key: String(fields), isWhole: needsAssets(fields) };
}

/** Common choices, which do not count against the limits. */
const UNLIMITED: readonly FieldChoice[] = [choiceOf([]), choiceOf('*')];
const nothing = (): void => undefined;
/** Limited because a page is printed once for each choice. */
const MAX_CHOICES = 64;
const MAX_PER_CLIENT = 8;

/** A limited choice and its followers. It counts as stalled since its last follower joined. */
class LimitedChoice implements Evictable {
  stalledSinceMs = performance.now();
  private readonly followers = new Set<Evictable>();

  /** @param release called when its last follower has left */
  constructor(
    readonly choice: FieldChoice,
    private readonly release: () => void,
  ) {}

  add(follower: Evictable): void {
    this.followers.add(follower);
    this.stalledSinceMs = performance.now();
  }

  leave(follower: Evictable): void {
    this.followers.delete(follower);
    if (this.followers.size === 0) this.release();
  }

  evict(): void {
    this.release();
    for (const follower of this.followers) follower.evict();
  }
}

/** Limits the number of distinct choices, in total and per client. */
export class FieldChoices {
  private readonly slots = new PerClientSemaphore({ max: MAX_CHOICES, maxPerClient: MAX_PER_CLIENT });
  private readonly limited = new Map<string, LimitedChoice>();

  /**
   * Registers a follower for its choice of fields.
   * @param client as known to the rate limits
   * @returns the choice, and a function to call once when the follower leaves
   * @throws ApiError 503 if there are too many distinct choices
   */
  enter(
    client: string,
    fields: FieldChoice['fields'],
    follower: Evictable,
  ): { choice: FieldChoice; leave: () => void } {
    const choice = choiceOf(fields);
    const unlimited = UNLIMITED.find(({ key }) => key === choice.key);
    if (unlimited !== undefined) return { choice: unlimited, leave: nothing };
    const limited = this.limited.get(choice.key) ?? this.create(client, choice);
    limited.add(follower);
    return { choice: limited.choice, leave: () => limited.leave(follower) };
  }

  private create(client: string, choice: FieldChoice): LimitedChoice {
    const { key } = choice;
    const limited: LimitedChoice = new LimitedChoice(choice, () => {
      leaveSlot();
      if (this.limited.get(key) === limited) this.limited.delete(key);
    });
    const leaveSlot = this.slots.enter(client, limited);
    this.limited.set(key, limited);
    return limited;
  }
}
