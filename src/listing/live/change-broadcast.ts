import type { Timing } from '../../feed/clock/wall-clock.js';
import type { FeedPage } from '../../feed/reading/exact-feed.js';
import { logger, stackOf } from '../../platform/logging/logger.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';
import { EventPage } from './event-page.js';
import type { FieldChoice } from './field-choices.js';
import type { LiveObserver } from './live-observer.js';
import { forEachYielding } from './yielding-loop.js';

/** A follower that is caught up to `us` and waits for more. */
export interface TailMember {
  /** The newest instant that it has received, in microseconds. */
  readonly us: number;
  /** The feed's epoch that it follows. */
  readonly epoch: string;
  /** The fields of assets in its entries; undefined if it reads pages itself. */
  readonly choice: FieldChoice | undefined;
  /** Receives a page, some of which it may already have. */
  receive(page: EventPage): void;
  /** Called when it has left the tail and must read the next page itself. */
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

/** Sends each page read at the end of the feed to all waiting followers, before the next page is read. */
export class ChangeBroadcast {
  private readonly members = new Set<TailMember>();
  /** The last instant read; undefined until the end of the feed is known. */
  private lastUs: number | undefined;
  private epoch: string | undefined;

  constructor(private readonly parts: BroadcastParts) {}

  get size(): number {
    return this.members.size;
  }

  /** The instant of the last entry read, in microseconds; -1 in an empty feed, undefined until the end is known. */
  get endUs(): number | undefined {
    return this.lastUs;
  }

  /** Whether any member needs whole assets. */
  get wantsAssets(): boolean {
    return [...this.members].some(({ choice }) => choice?.isWhole === true);
  }

  /** @returns false for a follower that is not caught up and has to read pages first */
  join(member: TailMember): boolean {
    if (this.lastUs !== undefined && !this.isCaughtUp(member)) return false;
    this.members.add(member);
    return true;
  }

  leave(member: TailMember): void {
    this.members.delete(member);
  }

  /** Sets the end of the feed, and wakes members behind it. @param us the last instant, in microseconds; -1 in an empty feed */
  begin(us: number, epoch: string): Promise<void> {
    [this.lastUs, this.epoch] = [us, epoch];
    return this.wakeAll((member) => !this.isCaughtUp(member));
  }

  /** Sends a page to all members. @param page not empty, and directly after the previous one */
  async send(page: ReadPage): Promise<void> {
    const lastUs = (page.entries.at(-1) as { modifiedUs: number }).modifiedUs;
    this.lastUs = lastUs;
    const printed = new Map<string, EventPage>();
    const { nowUs, observer, timing } = this.parts;
    await forEachYielding(timing, [...this.members], (member) => {
      if (this.members.has(member) && member.us < lastUs) this.sendTo(member, page, printed);
    });
    // The clock of another host may be ahead.
    observer.sent(Math.max(0, nowUs() - lastUs) / 1_000);
  }

  /** Removes and wakes members. @param isConcerned all by default */
  async wakeAll(isConcerned: (member: TailMember) => boolean = () => true): Promise<void> {
    await forEachYielding(this.parts.timing, [...this.members].filter(isConcerned), (member) => this.wake(member));
  }

  private isCaughtUp({ us, epoch }: TailMember): boolean {
    return us >= (this.lastUs as number) && epoch === this.epoch;
  }

  /** If that fails, the follower reads the page itself. @param printed cache of the page by choice of fields */
  private sendTo(member: TailMember, page: ReadPage, printed: Map<string, EventPage>): void {
    const { choice } = member;
    // A member that joined during the read may need assets that the page lacks.
    if (choice === undefined || (choice.isWhole && !page.whole)) return this.wake(member);
    try {
      const events = printed.get(choice.key) ?? EventPage.print(page, choice.fields, this.parts.time);
      printed.set(choice.key, events);
      member.receive(events);
    } catch (error) {
      logger.error({ stack: stackOf(error) }, 'a change could not be sent to a follower');
      this.wake(member);
    }
  }

  private wake(member: TailMember): void {
    if (this.members.delete(member)) member.wake();
  }
}
