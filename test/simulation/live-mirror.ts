import type { Events } from '../../src/http/event-stream.js';
import type { Random } from '../support/random.js';
import { type Stage, takeRefusal } from './actors.js';
import { type SimulatedService, TIME } from './simulated-service.js';

const PAUSE_MS = 30;
/** Longer than anything is frozen. */
const SILENCE_MS = 15_000;
/** How often it is looked whether the process still lives. */
const LOOK_MS = 200;
const STREAM_MS = 2_000;
const DRAIN_MS = 300;

/** A database that follows the stream of events of one process, and comes to any of them again when it ends. */
export class LiveMirror {
  readonly shown = new Map<string, number>();
  private cursorUs = -1;
  /** When something came, was written, or could not be asked for. */
  private heardMs = 0;

  constructor(
    private readonly stage: Stage,
    private readonly random: Random,
    /** Whether it does not read for a while, at times. */
    private readonly isSlow: boolean,
  ) {}

  /** Follows until all is quiet, and nothing has come for long. */
  async follow(): Promise<void> {
    const { time, isQuiet, services, witness } = this.stage;
    while (!this.isThrough()) {
      const service = this.random.pick(services);
      const stream = new SimulatedStream(
        service,
        (events) => this.take(events),
        () => this.isSlow && this.random.chance(0.1),
      );
      try {
        await service.followLive(stream, this.cursorUs);
      } catch (error) {
        stream.close();
        takeRefusal(error, witness);
        await time.sleep(this.random.next() * PAUSE_MS);
      }
      // The silence starts now: a refusal, or a wait for the stream, is no sign that there are no changes.
      this.heardMs = time.nowMs;
      const untilMs = time.nowMs + this.random.next() * STREAM_MS;
      while (!stream.isOver && service.isAlive && (isQuiet() || time.nowMs < untilMs) && !this.isThrough()) {
        await time.sleep(LOOK_MS);
        if (stream.isFull && this.random.chance(LOOK_MS / DRAIN_MS)) stream.drain();
      }
      stream.close();
    }
  }

  private isThrough(): boolean {
    const { isQuiet, time } = this.stage;
    if (!isQuiet()) this.heardMs = time.nowMs;
    return time.nowMs > this.heardMs + SILENCE_MS;
  }

  private take(events: Events): void {
    this.heardMs = this.stage.time.nowMs;
    for (const [, data = ''] of events.bytes.toString().matchAll(/^data: (.*)$/gm)) {
      const { id, dateModified } = JSON.parse(data) as { id: string; dateModified: string };
      const us = TIME.parse(dateModified) as number;
      if (us <= this.cursorUs) this.stage.witness.broken(`an event of ${us} comes after ${this.cursorUs}`);
      this.cursorUs = us;
      if (us > (this.shown.get(id) ?? 0)) this.shown.set(id, us);
      this.stage.witness.show(id, us);
    }
  }
}

/** The way from one process to one client. */
class SimulatedStream {
  isOver = false;
  isFull = false;
  readonly quietMs = 0;
  private acts: (() => void)[] = [];
  private drains: (() => void)[] = [];

  constructor(
    private readonly service: SimulatedService,
    private readonly take: (events: Events) => void,
    private readonly fills: () => boolean,
  ) {}

  write(events: Events): void {
    if (this.isOver || !this.service.isAlive) return;
    this.take(events);
    this.isFull = this.fills();
  }

  drained(): Promise<void> {
    return new Promise((resolve) => (this.isFull ? this.drains.push(resolve) : resolve()));
  }

  drain(): void {
    this.isFull = false;
    for (const act of this.drains.splice(0)) act();
  }

  end(): void {
    this.isOver = true;
  }

  whenOver(act: () => void): void {
    this.acts.push(act);
  }

  /** The client goes away. */
  close(): void {
    this.isOver = true;
    for (const act of this.acts.splice(0)) act();
  }
}
