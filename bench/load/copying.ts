import { LoadClient } from '../../test/support/load-client.js';
import type { Outcome, Plan } from './plan.js';
import { page, read, WHOLE_PAGE } from './requests.js';
import type { Tally } from './tally.js';

const OFFSET = /"next_page":\{"offset":"([^"]*)"/;
const ENTRY = /\{"id":"([0-9a-f]{32})"/g;

/** A copy of the first assets of the feed, from the beginning; it looks into an answer only as far as it must to go on. */
export class Copying {
  private readonly url: URL;
  private readonly waiting: string[] = [];
  private readonly idle: LoadClient[] = [];
  private readonly clients: LoadClient[] = [];
  private offset: string | undefined = '';
  private listed = 0;
  private copied = 0;
  private finish: () => void = () => undefined;

  constructor(
    private readonly plan: Plan,
    private readonly tally: Tally,
  ) {
    this.url = new URL(plan.url);
  }

  async run(): Promise<Outcome> {
    const byReads = this.plan.mode === 'copy by reads';
    const finished = new Promise<void>((resolve) => (this.finish = resolve));
    this.tally.begin();
    const lister = this.open(
      () => this.nextPage(byReads),
      (status, body) => this.takePage(status, body(), byReads),
    );
    for (let i = 0; byReads && i < this.plan.connections; i++) {
      const reader: LoadClient = this.open(
        () => this.nextRead(reader, lister),
        (status) => this.took(status < 300 ? 1 : 0),
      );
    }
    await finished;
    const outcome = this.tally.end(this.copied);
    for (const client of this.clients) client.stop();
    return outcome;
  }

  private open(next: () => string | undefined, answered: (status: number, body: () => string) => void): LoadClient {
    const take = (status: number, took: number, body: () => string): void => {
      this.tally.count(status, took);
      answered(status, body);
    };
    const client = new LoadClient(this.url, next, take, () => this.tally.broke());
    this.clients.push(client);
    return client;
  }

  /** None while there is enough to read, or after the last one. */
  private nextPage(byReads: boolean): string | undefined {
    if (this.offset === undefined || this.listed >= this.plan.count || this.waiting.length >= WHOLE_PAGE)
      return undefined;
    return page(this.offset, WHOLE_PAGE, !byReads);
  }

  private takePage(status: number, body: string, byReads: boolean): void {
    if (status !== 200) return;
    // Ids stand at the beginning of an entry in both kinds of pages.
    const ids = Array.from(body.matchAll(ENTRY), ([, id]) => id as string).slice(0, this.plan.count - this.listed);
    this.offset = ids.length === 0 ? undefined : OFFSET.exec(body)?.[1];
    this.listed += ids.length;
    if (!byReads) return this.took(ids.length);
    this.waiting.push(...ids);
    for (const reader of this.idle.splice(0)) reader.wake();
    return this.took(0);
  }

  private nextRead(reader: LoadClient, lister: LoadClient): string | undefined {
    const id = this.waiting.pop();
    if (this.waiting.length < WHOLE_PAGE) lister.wake();
    if (id !== undefined) return read(id);
    this.idle.push(reader);
    return undefined;
  }

  private took(assets: number): void {
    this.copied += assets;
    const isWhole = this.offset === undefined || this.listed >= this.plan.count;
    if (isWhole && this.copied >= this.listed) this.finish();
  }
}
