import type { Timing } from '../../feed/clock/wall-clock.js';
import type { FeedPage } from '../../feed/reading/exact-feed.js';
import { logger, stackOf } from '../../platform/logging/logger.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';
import { EventPage } from './event-page.js';
import type { FieldChoice } from './field-choices.js';
import type { LiveObserver } from './live-observer.js';
import { forEachYielding } from './yielding-loop.js';

/** A follower that has seen all up to `us`, and waits for more. */
export interface TailMember {
  /** The newest instant that it knows, in microseconds. */
  readonly us: number;
  /** The history that it follows. */
  readonly epoch: string;
  /** With which fields of assets it is sent entries; undefined: it reads them itself. */
  readonly choice: FieldChoice | undefined;
  /** It is sent what comes, some of which it may have. */
  take(page: EventPage): void;
  /** There may be something that it has to read itself. It is no member any more. */
  wake(): void;
}

export interface ReadPage extends FeedPage {
  /** Whether its entries have assets. */
  whole: boolean;
}

export interface BroadcastParts {
  time: RegistryTime;
  /** The wall clock, in microseconds. */
  nowUs: () => number;
  observer: LiveObserver;
  timing: Pick<Timing, 'sleep' | 'immediate'>;
}

/** The followers that wait at the end of the feed. Each page that is read there is given to all of them before the next is read. */
export class ChangeBroadcast {
  private readonly members = new Set<TailMember>();
  /** The last instant that was read; undefined until it is known where the end is. */
  private lastUs: number | undefined;
  private epoch: string | undefined;

  constructor(private readonly parts: BroadcastParts) {}

  get size(): number {
    return this.members.size;
  }

  /** The instant of the last entry that was read, in microseconds; -1 in an empty feed, undefined until the end is known. */
  get endUs(): number | undefined {
    return this.lastUs;
  }

  /** Whether any member is sent assets. */
  get wantsAssets(): boolean {
    return [...this.members].some(({ choice }) => choice?.isWhole === true);
  }

  /** @returns false for a follower that has to read on first: a page that it has not seen is being given */
  join(member: TailMember): boolean {
    if (this.lastUs !== undefined && !this.isLevel(member)) return false;
    this.members.add(member);
    return true;
  }

  /** Does nothing for one that is no member. */
  leave(member: TailMember): void {
    this.members.delete(member);
  }

  /** Sets where the end of the feed is, and wakes members that are not there. @param us the last instant, in microseconds; -1 in an empty feed */
  begin(us: number, epoch: string): Promise<void> {
    [this.lastUs, this.epoch] = [us, epoch];
    return this.wakeAll((member) => !this.isLevel(member));
  }

  /** Gives a page to all members. @param page has entries, which follow the last page */
  async give(page: ReadPage): Promise<void> {
    const lastUs = (page.entries.at(-1) as { modifiedUs: number }).modifiedUs;
    this.lastUs = lastUs;
    const printed = new Map<string, EventPage>();
    const { nowUs, observer, timing } = this.parts;
    await forEachYielding(timing, [...this.members], (member) => {
      if (this.members.has(member) && member.us < lastUs) this.giveTo(member, page, printed);
    });
    // The clock of another host may be ahead.
    observer.sent(Math.max(0, nowUs() - lastUs) / 1_000);
  }

  /** Wakes members, which are none any more. @param concerns which of them; all by default */
  async wakeAll(concerns: (member: TailMember) => boolean = () => true): Promise<void> {
    await forEachYielding(this.parts.timing, [...this.members].filter(concerns), (member) => this.wake(member));
  }

  private isLevel({ us, epoch }: TailMember): boolean {
    return us >= (this.lastUs as number) && epoch === this.epoch;
  }

  /** A follower that cannot be given the page reads it itself. @param printed the page by the fields of assets */
  private giveTo(member: TailMember, page: ReadPage, printed: Map<string, EventPage>): void {
    const { choice } = member;
    // It may have joined when the page was read already, without what it wants.
    if (choice === undefined || (choice.isWhole && !page.whole)) return this.wake(member);
    try {
      const events = printed.get(choice.key) ?? EventPage.print(page, choice.fields, this.parts.time);
      printed.set(choice.key, events);
      member.take(events);
    } catch (error) {
      logger.error({ stack: stackOf(error) }, 'a change could not be given to a follower');
      this.wake(member);
    }
  }

  private wake(member: TailMember): void {
    if (this.members.delete(member)) member.wake();
  }
}
