import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { ASSETS } from './assets.js';
import { until } from './until.js';

/** One server-sent event. */
export interface SentEvent {
  id: string;
  event: string;
  data: string;
}

/** Options of a stream. */
export interface StreamOptions {
  /** Such as `?opt_fields=*`. */
  query?: string;
  headers?: Record<string, string>;
  /** Aborts the stream. */
  signal?: AbortSignal;
}

/** A client of the listing's event stream. Source of the format: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export class EventClient {
  readonly events: SentEvent[] = [];
  comments = 0;
  retryMs: number | undefined;
  /** `whole` if the answer ended properly, `cut` if the connection broke before. */
  ended: 'whole' | 'cut' | undefined;
  private text = '';

  private constructor(
    private readonly sent: ClientRequest,
    readonly answer: IncomingMessage,
  ) {
    answer.setEncoding('utf8').on('data', (chunk: string) => this.take(chunk));
    answer.on('error', () => undefined);
    answer.on('close', () => (this.ended = answer.complete ? 'whole' : 'cut'));
  }

  static async open(url: string, { query = '', headers = {}, signal }: StreamOptions = {}): Promise<EventClient> {
    const options = { headers: { Accept: 'text/event-stream', ...headers }, agent: false, signal };
    const sent = request(url + ASSETS + query, options);
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    sent.on('error', () => undefined);
    return new EventClient(sent, answer);
  }

  /** The ids of the changes, in order. */
  get ids(): string[] {
    return this.changes.map(({ id }) => id);
  }

  /** The entries of the changes, in order. */
  get entries(): { id: string; dateModified: string; [name: string]: unknown }[] {
    return this.changes.map(({ data }) => JSON.parse(data));
  }

  async has(changes: number): Promise<this> {
    await this.until(() => this.changes.length >= changes);
    return this;
  }

  /** Waits until the condition is true or the stream has ended. */
  async until(isSo: () => boolean): Promise<void> {
    await until(() => isSo() || this.ended !== undefined);
  }

  async isOver(): Promise<this> {
    await until(() => this.ended !== undefined);
    return this;
  }

  close(): void {
    this.sent.destroy();
  }

  private get changes(): SentEvent[] {
    return this.events.filter(({ event }) => event === 'change');
  }

  private take(chunk: string): void {
    const blocks = (this.text + chunk).split('\n\n');
    this.text = blocks.pop() as string;
    for (const block of blocks) this.read(block);
  }

  private read(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
      }),
    );
    if (fields.has('')) this.comments++;
    if (fields.has('retry')) this.retryMs = Number(fields.get('retry'));
    const data = fields.get('data');
    if (data !== undefined)
      this.events.push({ id: fields.get('id') ?? '', event: fields.get('event') ?? 'message', data });
  }
}
