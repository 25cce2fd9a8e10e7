import type { Forwarding } from '../assets/asset-writer.js';
import type { WantedWrite } from '../assets/wanted-write.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { unavailable } from '../errors/errors.js';
import type { Waiter } from '../feed/writing/operation.js';
import { hostMs } from './messages.js';
import type { ForwardingObserver, ForwardingOutcome } from './forwarding-observer.js';
import { type Answer, LINK_LIMITS, type LinkLimits, WriterLink } from './writer-link.js';

const AGAIN_MS = 500;

/**
 * Takes this process's writes to the one process of the host that writes for all: so there is one lane with large batches, and not one for
 * each process, which would wait for each other. No more than speed rests on that: the feed's clock orders any number of writers, so whoever
 * does not reach the one writes by itself.
 */
export class HostWriter implements Forwarding {
  private link: WriterLink | undefined;
  private path: string | undefined;

  constructor(
    private readonly observer: ForwardingObserver,
    private readonly limits: LinkLimits = LINK_LIMITS,
  ) {}

  /** @param path the socket of the process that writes; undefined for this process itself, or where none is known */
  follow(path: string | undefined): void {
    if (path === this.path) return;
    this.path = path;
    this.link?.leave();
    this.connect(path);
  }

  write(wanted: WantedWrite, waiter: Waiter, writeHere: (wanted: WantedWrite) => Promise<Asset[]>): Promise<Asset[]> {
    const { link } = this;
    if (link === undefined || holdsNaN(patchesOf(wanted))) return writeHere(wanted);
    if (link.takes) return this.writeThere(wanted, waiter, link, writeHere);
    this.observer.forwarded('here');
    return writeHere(wanted);
  }

  private connect(path: string | undefined): void {
    if (path === undefined) {
      this.link = undefined;
      return;
    }
    this.link = new WriterLink(path, this.limits, () => {
      setTimeout(() => {
        if (this.path === path) this.connect(path);
      }, AGAIN_MS).unref();
    });
  }

  private async writeThere(
    wanted: WantedWrite,
    waiter: Waiter,
    link: WriterLink,
    writeHere: (wanted: WantedWrite) => Promise<Asset[]>,
  ): Promise<Asset[]> {
    const askedMs = hostMs() - wanted.waitedMs;
    const answer = await this.observed(link.ask(wanted, waiter));
    if (typeof answer !== 'string') return answer;
    const again = { ...wanted, waitedMs: hostMs() - askedMs };
    if (answer === 'here') return writeHere(again);
    // A creation can be looked up by its id, so that it is not made twice. Nobody can tell whether a change was made.
    if ('draft' in again) return writeHere({ ...again, askedBefore: true });
    throw unavailable('writer_away');
  }

  private async observed(asked: Promise<Answer>): Promise<Answer> {
    let outcome: ForwardingOutcome = 'answered';
    try {
      const answer = await asked;
      if (typeof answer === 'string') outcome = answer;
      return answer;
    } finally {
      this.observer.forwarded(outcome);
    }
  }
}

/** What comes as it was sent: the rest is text, or the registry's own. */
function patchesOf(wanted: WantedWrite): unknown {
  if ('members' in wanted) return wanted.members.map(({ patch }) => patch);
  return 'patch' in wanted ? wanted.patch : undefined;
}

/**
 * Whether a number stands there that cannot be kept as it was sent. JSON would make null of it, which removes a field; here it is refused,
 * so it needs no lane.
 */
function holdsNaN(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(holdsNaN);
  return Number.isNaN(value);
}
