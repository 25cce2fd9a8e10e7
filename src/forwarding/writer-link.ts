import { connect } from 'node:net';
import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import type { WantedWrite } from '../assets/wanted-write.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { Waiter } from '../feed/writing/operation.js';
import type { ForwardingOutcome } from './forwarding-observer.js';
import { JsonLines } from './json-lines.js';
import { hostMs, toError, type WriterReply } from './messages.js';

/** When a link is not used. Tests set smaller ones. */
export interface LinkLimits {
  /** The process that writes is taken for frozen when it has told nothing for so long, though it was asked; in milliseconds. */
  silenceMs: number;
  /** How long the writer may be silent where it was asked for a group, which may let others go first; milliseconds. */
  groupSilenceMs: number;
  /** With more bytes than this sent and not yet read by the writer, this worker writes by itself. */
  waitingBytes: number;
  /** How long a request waits for its answer. */
  deadlineMs: number;
}

export const LINK_LIMITS: LinkLimits = {
  silenceMs: TIME_BUDGETS_MS.silentWriter,
  groupSilenceMs: TIME_BUDGETS_MS.groupGivesWay + TIME_BUDGETS_MS.silentWriter,
  waitingBytes: 16 * 1024 * 1024,
  deadlineMs: TIME_BUDGETS_MS.answer,
};

/** What a write came back with: the assets, or that it has to be written here. */
export type Answer = Asset[] | Exclude<ForwardingOutcome, 'answered'>;

/** The connection to the process that writes for its host. */
export class WriterLink {
  private readonly asked = new Map<number, (answer: Answer | Error) => void>();
  private readonly lines: JsonLines;
  private count = 0;
  /** When the writer counts as frozen unless it has sent any message by then; by the monotonic clock. */
  private wordDueMs = Infinity;
  private open = false;

  /** @param lost called once, when the connection is over or could not be made */
  constructor(
    path: string,
    private readonly limits: LinkLimits,
    lost: () => void,
  ) {
    const socket = connect(path, () => (this.open = true));
    const over = (): void => {
      this.open = false;
      for (const settle of this.asked.values()) settle('unknown');
      lost();
    };
    this.lines = new JsonLines(socket, (reply: WriterReply) => this.receive(reply), over);
    // It must not keep a process that has nothing else to do.
    socket.unref();
  }

  /** Whether the other process takes writes, as far as one knows. */
  get takes(): boolean {
    return this.open && this.lines.waitingBytes < this.limits.waitingBytes && !this.isSilent();
  }

  /** @returns 'here' when it was not begun there, 'unknown' when no answer came @throws ApiError, DoneBefore */
  ask(wanted: WantedWrite, waiter: Waiter): Promise<Answer> {
    const n = this.count++;
    return new Promise((resolve, reject) => {
      const settle = (answer: Answer | Error): void => {
        clearTimeout(deadline);
        this.asked.delete(n);
        this.endWhenLeft();
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
      const giveUp = (): void => {
        if (!this.asked.has(n)) return;
        settle('unknown');
        this.lines.send({ n, gone: true });
      };
      const deadline = setTimeout(giveUp, Math.max(0, this.limits.deadlineMs - wanted.waitedMs));
      this.asked.set(n, settle);
      const { silenceMs, groupSilenceMs } = this.limits;
      const patienceMs = 'members' in wanted ? groupSilenceMs : silenceMs;
      this.wordDueMs = Math.min(this.wordDueMs, performance.now() + patienceMs);
      this.lines.send({ n, wanted, askedMs: hostMs() - wanted.waitedMs });
      waiter.whenGone(giveUp);
    });
  }

  /** Takes no more; what was asked is waited for. */
  leave(): void {
    this.open = false;
    this.endWhenLeft();
  }

  private endWhenLeft(): void {
    if (!this.open && this.asked.size === 0) void this.lines.end();
  }

  private isSilent(): boolean {
    return performance.now() > this.wordDueMs;
  }

  private receive(reply: WriterReply): void {
    this.wordDueMs = Infinity;
    if ('ends' in reply) return this.leave();
    const settle = this.asked.get(reply.n);
    if ('assets' in reply) settle?.(reply.assets);
    else settle?.('untouched' in reply ? 'here' : toError(reply));
  }
}
