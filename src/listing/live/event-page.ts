import type { FeedPage } from '../../feed/reading/exact-feed.js';
import { Events } from '../../http/event-stream.js';
import { entryPrinter } from '../feed-pages.js';
import { EncodedText } from '../../platform/text/encoded-text.js';
import type { RegistryTime } from '../../platform/time/registry-time.js';

interface PrintedEvent {
  us: number;
  /** Its byte offset. */
  at: number;
}

/** A page of the feed as events, printed once for all followers. Source: contract section 12. */
export class EventPage {
  private constructor(
    readonly epoch: string,
    private readonly all: Events,
    private readonly events: readonly PrintedEvent[],
  ) {}

  /** Prints one event per entry. @param fields of assets, as in the query; `*` for all */
  static print(
    { epoch, entries }: Pick<FeedPage, 'epoch' | 'entries'>,
    fields: readonly string[] | '*',
    time: RegistryTime,
  ): EventPage {
    const print = entryPrinter(fields, time);
    let at = 0;
    const events: PrintedEvent[] = [];
    const printed = entries.map((entry) => {
      // The id comes last: some clients resume after an id of which they have not received the data.
      const id = `\nid: ${time.print(entry.modifiedUs)}\n\n`;
      const event = EncodedText.join(['event: change\ndata: ', print(entry), id], '');
      events.push({ us: entry.modifiedUs, at });
      at += event.length;
      return event;
    });
    return new EventPage(epoch, new Events(EncodedText.join(printed, '').toBuffer()), events);
  }

  get bytes(): number {
    return this.all.bytes.length;
  }

  /** The instant of its last event, in microseconds; -1 if it has none. */
  get lastUs(): number {
    return this.events.at(-1)?.us ?? -1;
  }

  /** Its events after an instant in microseconds, without copying their bytes; undefined if there are none. */
  after(us: number): Events | undefined {
    const first = this.events.find((event) => event.us > us);
    if (first === undefined) return undefined;
    return first.at === 0 ? this.all : new Events(this.all.bytes.subarray(first.at));
  }
}
