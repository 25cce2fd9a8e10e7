import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { basic, type Reply, type Send, sendTo } from '../support/registry.js';
import type { Entry, Page } from '../support/pages.js';

/*
 * The requests of the two public client libraries of this API family, and how they read the answers:
 * openprocurement.client.python 2 (its client of assets and its feeder) and prozorro_crawler 2.
 */

type Params = Record<string, string>;

/** An answer that the library has no use for. */
class LibraryError extends Error {
  constructor(readonly reply: Reply) {
    super(`${reply.status}: ${reply.text}`);
  }
}

/** Cookies as both libraries keep them: sent to the one host they talk to. */
class Jar extends Map<string, string> {
  take({ headers }: Reply): void {
    for (const cookie of headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] as string).split('=');
      this.set(name, value);
    }
  }

  get header(): Record<string, string> {
    return this.size === 0 ? {} : { Cookie: Array.from(this, ([name, value]) => `${name}=${value}`).join('; ') };
  }
}

/** As Python's `urlencode` writes a query. */
function urlencode(params: Params): string {
  return new URLSearchParams(params).toString();
}

/** As aiohttp writes a query: `:` stays as it is, and unset values are sent empty. */
function aiohttpQuery(params: Params): string {
  return Object.entries(params)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2C', ',')}`)
    .join('&');
}

/** The client of assets of openprocurement.client.python. Its base class copies the members of next_page into its next query. */
export class AssetsClient {
  readonly params: Params = { mode: '_all_' };
  cookies = new Jar();
  private readonly agent = `op.client/${randomUUID().replaceAll('-', '')}`;

  private constructor(
    /** Changes when the registry is started elsewhere. */
    public url: string,
    private readonly key: string,
  ) {}

  static async connect(url: string, key = ''): Promise<AssetsClient> {
    const client = new AssetsClient(url, key);
    const reply = await client.send('/api/0.1/spore', { method: 'HEAD' }, {});
    if (reply.status >= 400) throw new LibraryError(reply);
    return client;
  }

  async getAssets(params: Params = {}): Promise<Entry[]> {
    Object.assign(this.params, params, { feed: 'changes' });
    const reply = await this.request('GET', `?${urlencode(this.params)}`);
    const { data, next_page: next } = reply.json as Page;
    for (const [name, value] of Object.entries(next))
      if (name !== 'uri' && name !== 'path') this.params[name] = String(value);
    return data;
  }

  /** The feeder's request, which keeps nothing from page to page. */
  async syncItems(params: Params): Promise<Page> {
    for (;;) {
      try {
        return (await this.request('GET', `?${urlencode({ ...params, feed: 'changes' })}`)).json;
      } catch (error) {
        // It asks again at once: the cookie of the refusal is in its jar.
        if (!(error instanceof LibraryError) || error.reply.status !== 412) throw error;
      }
    }
  }

  async getLatest(date: string): Promise<Entry[]> {
    const [day, time] = [date.slice(0, 10), date.slice(11, 19)];
    return (await this.request('GET', `?offset=${day}T${time}&opt_fields=asset_id&mode=test`)).json.data;
  }

  async findIdByAssetId(assetID: string): Promise<string> {
    const before: Params = { offset: '', opt_fields: 'assetID', descending: 'True' };
    Object.assign(this.params, before);
    for (let entries = await this.getAssets(); entries.length > 0; entries = await this.getAssets()) {
      const found = entries.find((entry) => entry['assetID'] === assetID);
      if (found !== undefined) return found.id;
    }
    throw new Error(`No ${assetID}`);
  }

  async createAsset(body: unknown): Promise<Reply['json']> {
    return (await this.request('POST', '', { body: JSON.stringify(body) })).json;
  }

  async patchAsset(created: Reply['json'], data: unknown): Promise<Reply['json']> {
    const headers = { 'X-Access-Token': created.access.token };
    return (await this.request('PATCH', `/${created.data.id}`, { headers, body: JSON.stringify({ data }) })).json;
  }

  private async request(method: string, rest: string, { headers = {}, body }: Send = {}): Promise<Reply> {
    // The content type goes with reads, too.
    const all = { 'Content-Type': 'application/json', ...headers };
    const reply = await this.send(`/api/0.1/assets${rest}`, { method, body }, all);
    if (reply.status >= 400) throw new LibraryError(reply);
    return reply;
  }

  private async send(path: string, { method, body }: Send, headers: Record<string, string>): Promise<Reply> {
    const reply = await sendTo(this.url, path, {
      method: method as string,
      body,
      headers: { 'User-Agent': this.agent, Authorization: basic(this.key), ...this.cookies.header, ...headers },
    });
    this.cookies.take(reply);
    return reply;
  }
}

/** The feeder of openprocurement.client.python: from the newest back to the oldest, and from there on forward, with one jar. */
export class Feeder {
  private constructor(
    private readonly forward: AssetsClient,
    private readonly backward: AssetsClient,
    private readonly take: (entries: Entry[]) => void,
  ) {
    this.forward.cookies = this.backward.cookies;
  }

  /** @param more whether changes may still come; asked before each page that may be the last */
  static async run(url: string, extra: Params, take: (entries: Entry[]) => void, more: () => boolean): Promise<void> {
    const [forward, backward] = [await AssetsClient.connect(url), await AssetsClient.connect(url)];
    await new Feeder(forward, backward, take).sync({ opt_fields: 'status', mode: '_all_', ...extra }, more);
  }

  private async sync(params: Params, more: () => boolean): Promise<void> {
    const back = { descending: 'True', ...params };
    const first = await this.backward.syncItems(back);
    this.take(first.data);
    const before = new Map(this.backward.cookies);
    await Promise.all([
      this.walk(this.backward, { ...back, offset: first.next_page.offset }, () => false),
      this.walk(this.forward, { ...params, offset: (first.prev_page as Page['next_page']).offset }, more),
    ]);
    // The library would begin again: "LB Server mismatch".
    if (JSON.stringify([...before]) !== JSON.stringify([...this.forward.cookies]))
      throw new Error('LB Server mismatch');
  }

  private async walk(client: AssetsClient, params: Params, more: () => boolean): Promise<void> {
    for (;;) {
      const expectsMore = more();
      const { data, next_page: next } = await client.syncItems(params);
      this.take(data);
      params['offset'] = next.offset;
      if (data.length === 0 && !expectsMore) return;
    }
  }
}

/** State that prozorro_crawler stores between runs. */
export interface Position {
  backward_offset?: string;
  forward_offset?: string;
  server_id?: string | undefined;
}

/** prozorro_crawler: one crawler back to the oldest, one forward forever, each saving its place after each page. */
export class Crawler {
  readonly statuses: number[] = [];
  /** The crawler that goes back has seen everything. */
  isAtBeginning = false;
  private readonly jar = new Jar();

  constructor(
    private readonly url: string,
    readonly position: Position,
    private readonly take: (entries: Entry[], isBackward: boolean) => void,
    private readonly options: { limit: number; optFields?: string; pauseMs?: number },
  ) {
    if (position.server_id !== undefined) this.jar.set('SERVER_ID', position.server_id);
  }

  /** @param isRunning asked before each request of the forward crawler */
  async run(isRunning: () => boolean): Promise<void> {
    if (this.position.backward_offset === undefined || this.position.forward_offset === undefined) await this.begin();
    await Promise.all([this.crawl(true, isRunning), this.crawl(false, isRunning)]);
  }

  private async begin(): Promise<void> {
    const reply = await this.get({ descending: '1' });
    if (reply.status !== 200) return this.begin();
    this.take(reply.json.data, true);
    const { next_page: next, prev_page: prev } = reply.json as Page;
    this.position.backward_offset = next.offset;
    this.position.forward_offset = prev?.offset ?? '';
  }

  private async crawl(isBackward: boolean, isRunning: () => boolean): Promise<void> {
    const key = isBackward ? 'backward_offset' : 'forward_offset';
    let offset = this.position[key] ?? '';
    while (isRunning()) {
      const reply = await this.get({ offset, ...(isBackward && { descending: '1' }) });
      if (reply.status === 404) throw new LibraryError(reply);
      if (reply.status !== 200) continue;
      const { data, next_page: next } = reply.json as Page;
      if (data.length === 0 && isBackward) {
        this.isAtBeginning = true;
        return;
      }
      this.take(data, isBackward);
      if (data.length > 0) Object.assign(this.position, { [key]: next.offset, server_id: this.jar.get('SERVER_ID') });
      offset = next.offset;
    }
  }

  private async get(params: Params): Promise<Reply> {
    const { limit, optFields = '', pauseMs = 0 } = this.options;
    const all = { descending: '', offset: '', limit: String(limit), opt_fields: optFields, mode: '_all_', ...params };
    const headers = { 'User-Agent': 'ProZorro Crawler 2.0', Authorization: 'Bearer somebody', ...this.jar.header };
    const reply = await sendTo(this.url, `/api/0.1/assets?${aiohttpQuery(all)}`, { headers });
    this.statuses.push(reply.status);
    this.jar.take(reply);
    // It waits for a fixed time, whatever Retry-After says.
    if (reply.status === 429) await sleep(pauseMs);
    return reply;
  }
}
