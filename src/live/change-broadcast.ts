import type { FeedPage } from '../feed/reading/exact-feed.js';
import type { Timing } from '../clock/wall-clock.js';
import type { RegistryTime } from '../time/registry-time.js';
import { logger, stackOf } from '../logging/logger.js';
import { EventPage } from './event-page.js';
import type { FieldChoice } from './field-choices.js';
import type { LiveObserver } from './live-observer.js';
import { spread } from './spread.js';

/** Between two rounds: shorter where a round is long, as all wait for it, and others go on in the midst of one. */
const LONGEST_REST_MS = 20;
const SHORTEST_REST_MS = 10;
const REST_SHARE = 0.05;
/** Of what not all members were given yet. */
const MOST_BYTES = 16 * 1024 * 1024;
/** About as many has an entry without its asset. */
const BYTES_OF_AN_ENTRY = 200;

/** One who has seen all up to `us`, and waits for more. */
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

/** A page with entries, as it was read. */
export interface ReadPage extends FeedPage {
  /** Whether its entries have assets. */
  whole: boolean;
}

/** What a broadcast needs of the service. */
export interface BroadcastParts {
  time: RegistryTime;
  /** The wall clock, in microseconds. */
  nowUs: () => number;
  observer: LiveObserver;
  timing: Pick<Timing, 'sleep' | 'immediate'>;
}

/**
 * What was read at the end of the feed, and those who wait there. It goes round among them: each is given all that it lacks, so a change has
 * reached everybody after one round, though others come in between.
 */
export class ChangeBroadcast {
  private readonly members = new Set<TailMember>();
  /** How many of them are sent assets. */
  private whole = 0;
  private pages: ReadPage[] = [];
  /** What is after it is among the pages. Undefined until it is known where the end is. */
  private floorUs: number | undefined;
  private epoch: string | undefined;
  /** Made of the last pages as they are now, by the fields and at their number. */
  private readonly printed = new Map<string, EventPage[]>();
  private isGiving = false;
  private whenFewer: () => void = () => undefined;

  constructor(private readonly parts: BroadcastParts) {}

  get size(): number {
    return this.members.size;
  }

  /** The instant of the last entry that was read, in microseconds; -1 in an empty feed, undefined until the end is known. */
  get endUs(): number | undefined {
    return lastUsOf(this.pages.at(-1)) ?? this.floorUs;
  }

  private get bytes(): number {
    const entries = this.pages.flatMap((page) => page.entries);
    return entries.reduce((sum, { asset }) => sum + BYTES_OF_AN_ENTRY + (asset?.body.length ?? 0), 0);
  }

  /** Whether any member is sent assets. */
  get wantsAssets(): boolean {
    return this.whole > 0;
  }

  /** @returns false for one who has to read on first: some were given what it has not seen */
  join(member: TailMember): boolean {
    if (this.floorUs !== undefined && (member.us < this.floorUs || member.epoch !== this.epoch)) return false;
    if (!this.members.has(member) && isWhole(member)) this.whole++;
    this.members.add(member);
    void this.give();
    return true;
  }

  /** @returns false for one that is no member */
  leave(member: TailMember): boolean {
    const wasIn = this.members.delete(member);
    if (wasIn && isWhole(member)) this.whole--;
    return wasIn;
  }

  /** Sets where the end of the feed is, and wakes members who are not there. @param us the last instant, in microseconds; -1 in an empty feed */
  async begin(us: number, epoch: string): Promise<void> {
    this.floorUs = us;
    this.epoch = epoch;
    await this.wakeAll((member) => member.us < us || member.epoch !== epoch);
  }

  /** Gives a page to all members. @param page has entries, which follow the last page @returns when there is room for another page */
  async add(page: ReadPage): Promise<void> {
    this.pages.push(page);
    this.printed.clear();
    void this.give();
    while (this.bytes > MOST_BYTES) await new Promise<void>((resolve) => (this.whenFewer = resolve));
  }

  /** Wakes members, who are none any more. @param concerns which of them; all by default */
  async wakeAll(concerns: (member: TailMember) => boolean = () => true): Promise<void> {
    await spread(this.parts.timing, [...this.members].filter(concerns), (member) => this.wake(member));
  }

  private async give(): Promise<void> {
    if (this.isGiving) return;
    this.isGiving = true;
    const { nowUs, timing } = this.parts;
    for (let endUs = this.endUs; this.pages.length > 0 && endUs !== undefined; endUs = this.endUs) {
      const beganUs = nowUs();
      await spread(timing, firstOf(this.members, this.size), (member) => this.giveOrWake(member));
      this.forget(endUs);
      const tookMs = (nowUs() - beganUs) / 1_000;
      await timing.sleep(Math.max(LONGEST_REST_MS - tookMs * REST_SHARE, SHORTEST_REST_MS));
    }
    this.isGiving = false;
  }

  /** What cannot be printed fails for each alone, who reads it itself then. */
  private giveOrWake(member: TailMember): void {
    try {
      this.giveTo(member);
    } catch (error) {
      logger.error({ stack: stackOf(error) }, 'a change could not be given to a follower');
      this.wake(member);
    }
  }

  private giveTo(member: TailMember): void {
    const { us, choice } = member;
    let lacks = 0;
    while (lacks < this.pages.length && (lastUsOf(this.pages.at(-1 - lacks)) as number) > us) lacks++;
    if (lacks === 0) return;
    // It may have come when the page was read already, without what it wants.
    if (choice === undefined || (choice.isWhole && this.pages.slice(-lacks).some(({ whole }) => !whole)))
      this.wake(member);
    else member.take(this.printLast(lacks, choice));
  }

  private printLast(count: number, { fields, key }: FieldChoice): EventPage {
    const known = this.printed.get(key) ?? [];
    this.printed.set(key, known);
    return (known[count] ??= this.print(this.pages.slice(-count), fields));
  }

  private print(pages: readonly ReadPage[], fields: FieldChoice['fields']): EventPage {
    const [{ epoch }] = pages as [ReadPage];
    const entries = pages.flatMap((page) => page.entries);
    return EventPage.print({ epoch, entries }, fields, this.parts.time);
  }

  /** Everybody has been given what is up to there. */
  private forget(us: number): void {
    const { nowUs, observer } = this.parts;
    const given = this.pages.filter((page) => (lastUsOf(page) as number) <= us);
    // The clock of another host may be ahead.
    for (const page of given) observer.sent(Math.max(0, nowUs() - (lastUsOf(page) as number)) / 1_000);
    this.pages = this.pages.slice(given.length);
    this.floorUs = us;
    this.printed.clear();
    // Who joined in the midst of the round was not in it: it reads itself.
    for (const member of this.members) if (member.us < us) this.wake(member);
    this.whenFewer();
  }

  private wake(member: TailMember): void {
    if (this.leave(member)) member.wake();
  }
}

function lastUsOf(page: ReadPage | undefined): number | undefined {
  return page?.entries.at(-1)?.modifiedUs;
}

/** As many as there are now, be they those or others. Who comes again and again would make a round endless. */
function* firstOf<Item>(items: Iterable<Item>, count: number): Generator<Item> {
  let left = count;
  for (const item of items) {
    if (left-- === 0) return;
    yield item;
  }
}

function isWhole({ choice }: TailMember): boolean {
  return choice?.isWhole === true;
}
