import { logger } from '../logging/logger.js';

const LOG_EVERY_MS = 1_000;

/** A body that is held and not parsed yet. */
export interface BodyReservation {
  /** Called when more of the body has come. */
  grow(bytes: number): void;
  /** Called when the body is parsed, or given up. Further calls do nothing. */
  leave(): void;
}

interface HeldBody {
  bytes: number;
  hasLeft: boolean;
  giveWay: () => void;
}

/** The bodies of one party, oldest first. No Set: of what comes and goes with each request it would leave too much (see connections.ts). */
interface PartyBodies {
  bodies: HeldBody[];
  bytes: number;
}

/**
 * Bounds the memory of bodies that are held and not parsed yet: they are incomplete, or wait for a place or a turn. When all of them together
 * exceed it, the party that holds the most loses its oldest body.
 */
export class BodyRoom {
  private readonly parties = new Map<string, PartyBodies>();
  private bytes = 0;
  private loggedMs = -Infinity;

  constructor(private readonly mostBytes: number) {}

  /** @param giveWay called when this body must go; it no longer counts then */
  enter(party: string, giveWay: () => void): BodyReservation {
    const body: HeldBody = { bytes: 0, hasLeft: false, giveWay };
    const held = this.parties.get(party) ?? { bodies: [], bytes: 0 };
    this.parties.set(party, held);
    held.bodies.push(body);
    return {
      grow: (bytes) => {
        if (body.hasLeft) return;
        body.bytes += bytes;
        held.bytes += bytes;
        this.bytes += bytes;
        while (this.bytes > this.mostBytes) this.makeRoom();
      },
      leave: () => this.remove(party, held, body),
    };
  }

  private makeRoom(): void {
    const [party, held] = [...this.parties].reduce((most, other) => (other[1].bytes > most[1].bytes ? other : most));
    const [oldest] = held.bodies as [HeldBody];
    this.remove(party, held, oldest);
    oldest.giveWay();
    if (performance.now() - this.loggedMs < LOG_EVERY_MS) return;
    this.loggedMs = performance.now();
    logger.warn({ bytes: this.bytes, bodies: held.bodies.length }, 'bodies that did not end were cut to make room');
  }

  private remove(party: string, held: PartyBodies, body: HeldBody): void {
    if (body.hasLeft) return;
    body.hasLeft = true;
    held.bodies.splice(held.bodies.indexOf(body), 1);
    held.bytes -= body.bytes;
    this.bytes -= body.bytes;
    if (held.bodies.length === 0) this.parties.delete(party);
  }
}
