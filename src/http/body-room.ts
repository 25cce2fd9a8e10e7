import { logger } from '../logging/logger.js';

const LOG_EVERY_MS = 1_000;

/** A body that is held and not parsed yet. */
export interface Seat {
  /** Called when more of the body has come. */
  grow(bytes: number): void;
  /** Called when the body is parsed, or given up. Further calls do nothing. */
  leave(): void;
}

interface Guest {
  bytes: number;
  hasLeft: boolean;
  giveWay: () => void;
}

/** The bodies of one party, oldest first. No Set: of what comes and goes with each request it would leave too much (see connections.ts). */
interface Table {
  guests: Guest[];
  bytes: number;
}

/**
 * Bounds the memory of bodies that are held and not parsed yet: they are incomplete, or wait for a place or a turn. When all of them together
 * exceed it, the party that holds the most loses its oldest body.
 */
export class BodyRoom {
  private readonly tables = new Map<string, Table>();
  private bytes = 0;
  private loggedMs = -Infinity;

  constructor(private readonly mostBytes: number) {}

  /** @param giveWay called when this body must go; it no longer counts then */
  enter(party: string, giveWay: () => void): Seat {
    const guest: Guest = { bytes: 0, hasLeft: false, giveWay };
    const table = this.tables.get(party) ?? { guests: [], bytes: 0 };
    this.tables.set(party, table);
    table.guests.push(guest);
    return {
      grow: (bytes) => {
        if (guest.hasLeft) return;
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
    const [oldest] = table.guests as [Guest];
    this.remove(party, table, oldest);
    oldest.giveWay();
    if (performance.now() - this.loggedMs < LOG_EVERY_MS) return;
    this.loggedMs = performance.now();
    logger.warn({ bytes: this.bytes, bodies: table.guests.length }, 'bodies that did not end were cut to make room');
  }

  private remove(party: string, table: Table, guest: Guest): void {
    if (guest.hasLeft) return;
    guest.hasLeft = true;
    table.guests.splice(table.guests.indexOf(guest), 1);
    table.bytes -= guest.bytes;
    this.bytes -= guest.bytes;
    if (table.guests.length === 0) this.tables.delete(party);
  }
}
