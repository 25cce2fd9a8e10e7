import { logger } from '../logging/logger.js';

const LOG_EVERY_MS = 1_000;

/** A body that is not worked on yet. */
export interface Seat {
  /** More of it has come. */
  grow(bytes: number): void;
  /** It is worked on from now on, or gone. May be called again. */
  leave(): void;
}

interface Guest {
  bytes: number;
  giveWay: () => void;
}

/** All of one party, oldest first. */
interface Table {
  guests: Set<Guest>;
  bytes: number;
}

/**
 * Room for what has come of bodies that are not worked on yet: because there is more to come, or no place. When they are too much together,
 * of the party that has the most the oldest one gives way.
 */
export class BodyRoom {
  private readonly tables = new Map<string, Table>();
  private bytes = 0;
  private loggedMs = -Infinity;

  constructor(private readonly mostBytes: number) {}

  /** @param giveWay ends it; it is counted no more */
  enter(party: string, giveWay: () => void): Seat {
    const guest: Guest = { bytes: 0, giveWay };
    const table = this.tables.get(party) ?? { guests: new Set(), bytes: 0 };
    this.tables.set(party, table);
    table.guests.add(guest);
    return {
      grow: (bytes) => {
        if (!table.guests.has(guest)) return;
        guest.bytes += bytes;
        table.bytes += bytes;
        this.bytes += bytes;
        while (this.bytes > this.mostBytes) this.makeRoom();
      },
      leave: () => this.remove(party, table, guest),
    };
  }

  private makeRoom(): void {
    const [party, table] = [...this.tables].reduce((most, other) => (other[1].bytes > most[1].bytes ? other : most));
    const oldest = table.guests.values().next().value as Guest;
    this.remove(party, table, oldest);
    oldest.giveWay();
    if (performance.now() - this.loggedMs < LOG_EVERY_MS) return;
    this.loggedMs = performance.now();
    logger.warn({ bytes: this.bytes, bodies: table.guests.size }, 'bodies that did not end were cut to make room');
  }

  private remove(party: string, table: Table, guest: Guest): void {
    if (!table.guests.delete(guest)) return;
    table.bytes -= guest.bytes;
    this.bytes -= guest.bytes;
    if (table.guests.size === 0) this.tables.delete(party);
  }
}
