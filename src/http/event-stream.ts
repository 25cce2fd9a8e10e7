import type { Socket } from 'node:net';
import type { RegistryResponse } from './request.js';

/** An endless answer of server-sent events. */
export class EventStreamAnswer {
  readonly status = 200;
  readonly headers: Readonly<Record<string, string>>;

  /** @param begin called once the head is sent; not for HEAD */
  constructor(
    headers: Readonly<Record<string, string>>,
    readonly begin: (stream: EventStream) => void,
  ) {
    this.headers = {
      ...headers,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // nginx and others would buffer the events.
      'X-Accel-Buffering': 'no',
    };
  }
}

/** Complete events, which many clients share in memory. */
export class Events {
  private framed: Buffer | undefined;

  constructor(readonly bytes: Buffer) {}

  static of(text: string): Events {
    return new Events(Buffer.from(text));
  }

  /** The events as one chunk of HTTP/1.1's chunked coding. */
  get asChunk(): Buffer {
    const { bytes } = this;
    this.framed ??= Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
    return this.framed;
  }
}

/** The stream of events to one client. Source: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventStream {
  private writtenMs = performance.now();
  private hasEnded = false;
  // A field, because reading it from the response costs a cache miss for each of ten thousand clients.
  private readonly socket: Socket | null;
  private readonly isChunked: boolean;

  constructor(private readonly response: RegistryResponse) {
    this.socket = response.socket;
    this.isChunked = response.chunkedEncoding;
  }

  /** Whether the client has gone, or the stream was ended. */
  get isOver(): boolean {
    return this.hasEnded || this.socket?.writable !== true;
  }

  /** Whether events are waiting in memory for the client to read them. */
  get isFull(): boolean {
    return this.socket?.writableNeedDrain === true;
  }

  /** Milliseconds since the last write. */
  get quietMs(): number {
    return performance.now() - this.writtenMs;
  }

  /** Writes to the socket itself: Node would frame the chunk again for each of ten thousand clients, which takes as long as the rest of the work. */
  write(events: Events): void {
    if (this.isOver) return;
    this.writtenMs = performance.now();
    this.socket?.write(this.isChunked ? events.asChunk : events.bytes);
  }

  /** Resolves when the client has read everything; never if it disconnects first. */
  async drained(): Promise<void> {
    const { socket } = this;
    if (this.isFull && socket !== null) await new Promise<void>((resolve) => void socket.once('drain', resolve));
  }

  /** @param events the last events, complete */
  end(events: string): void {
    if (!this.isOver) this.response.end(events);
    this.hasEnded = true;
  }

  /** Calls `act` when the client has disconnected or received the end. */
  whenOver(act: () => void): void {
    if (this.response.destroyed) act();
    else this.response.once('close', act);
  }
}
