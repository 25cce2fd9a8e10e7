import type { Socket } from 'node:net';

/** Messages over a socket: one JSON text a line. Messages that are sent in one round of the event loop go out together. */
export class JsonLines {
  private unread = '';
  private unsent = '';

  /** @param receive called with each message @param silenced called once, when nothing can come any more */
  constructor(
    private readonly socket: Socket,
    receive: (message: never) => void,
    silenced: () => void,
  ) {
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      for (const line of this.linesOf(chunk)) receive(JSON.parse(line) as never);
    });
    socket.on('error', () => socket.destroy());
    socket.once('close', silenced);
  }

  /** About how many bytes wait, as the other side does not read them. */
  get waitingBytes(): number {
    return this.unsent.length + this.socket.writableLength;
  }

  send(message: unknown): void {
    if (this.unsent === '') setImmediate(() => this.flush());
    this.unsent += `${JSON.stringify(message)}\n`;
  }

  private flush(): void {
    if (this.unsent !== '' && this.socket.writable) this.socket.write(this.unsent);
    this.unsent = '';
  }

  /** Sends what was to be sent, then ends the connection. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      if (this.socket.closed) return resolve();
      this.socket.once('close', () => resolve());
      this.flush();
      this.socket.end();
    });
  }

  cut(): void {
    this.socket.destroy();
  }

  private linesOf(chunk: string): string[] {
    const lines = chunk.split('\n');
    if (lines.length === 1) {
      this.unread += chunk;
      return [];
    }
    lines[0] = this.unread + (lines[0] as string);
    this.unread = lines.pop() as string;
    return lines;
  }
}
