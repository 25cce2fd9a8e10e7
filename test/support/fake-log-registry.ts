import { hash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { usOf } from '../../clients/sync/src/instants.js';
import type { JsonObject } from './assets.js';
import { FakeLog, fakeAsset, fakeEpoch, kyiv } from './fake-log.js';

const STEP_US = 1_500;
/** The part of the OpenAPI document that describes types and fields. */
const OPENAPI = JSON.stringify({
  components: {
    schemas: {
      Asset: { oneOf: [{ $ref: '#/components/schemas/basic' }] },
      basic: { properties: { assetType: { enum: ['basic'] }, title: {} } },
    },
  },
});

/** A feed and a log in memory, served over HTTP as a registry serves them. */
export class FakeLogRegistry {
  /** By id. */
  readonly assets = new Map<string, JsonObject>();
  log: FakeLog | undefined = new FakeLog();
  epoch = fakeEpoch(1);
  /** Instant of the last change. */
  us = Date.now() * 1_000 - 60_000_000;
  /** Called before each request is answered. */
  asked: () => void = () => undefined;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      this.asked();
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://registry');
      const answer = this.answer(pathname, searchParams);
      response.writeHead(answer === undefined ? 404 : 200, { 'feed-epoch': this.epoch, backoff: '1' });
      response.end(answer ?? '{"status":"error","errors":[]}');
    });
  }

  async start(): Promise<this> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  /** Adds 300 assets, changes 50 of them, and publishes the log. @returns their ids */
  fill(): string[] {
    for (let i = 0; i < 300; i++) this.add();
    const ids = [...this.assets.keys()];
    for (let i = 0; i < 50; i++) this.change(ids[i * 3] as string, { title: `changed ${i}` });
    this.log?.publish();
    return ids;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Publishes a new asset, and logs it. @returns the index of its entry in the log */
  add(others: JsonObject = {}): number {
    this.us += STEP_US;
    return this.keep(fakeAsset(this.assets.size, this.us, others));
  }

  /** Changes an asset, and logs its new state. */
  change(id: string, others: JsonObject): number {
    this.us += STEP_US;
    return this.keep({ ...(this.assets.get(id) as JsonObject), ...others, dateModified: kyiv(this.us) });
  }

  /** Erases the title of an asset in all its states. */
  erase(id: string): number {
    this.us += STEP_US;
    const log = this.log as FakeLog;
    const at = kyiv(this.us);
    for (const [place, { asset }] of log.states.entries()) if (asset?.['id'] === id) log.erase(place, ['title'], at);
    const { title: _, ...others } = this.assets.get(id) as JsonObject;
    const redacted = [{ pointer: '/title', reason: 'because', at }];
    return this.keep({ ...others, redacted, dateModified: at });
  }

  private keep(asset: JsonObject): number {
    this.assets.set(asset['id'] as string, asset);
    return this.log?.append(asset) ?? -1;
  }

  private answer(path: string, query: URLSearchParams): Buffer | string | undefined {
    const below = path.startsWith('/api/0.1/') ? path.slice('/api/0.1/'.length) : '';
    if (below === 'spore') return JSON.stringify({ name: 'fake', ...(this.log && { log: this.log.identity }) });
    if (below === 'openapi.json') return OPENAPI;
    if (below === 'assets') return this.page(query);
    if (below === 'assets/digest') return this.digest(query);
    const [, id] = /^assets\/([0-9a-f]{32})\/proof$/.exec(below) ?? [];
    if (id !== undefined) return this.log?.proof(this.log.entries.findLastIndex((entry) => entry.includes(id)));
    const asset = this.assets.get(below.slice('assets/'.length));
    if (asset !== undefined) return JSON.stringify({ data: asset });
    return below.startsWith('log/') ? this.log?.answer(below.slice('log/'.length), query) : undefined;
  }

  /** Includes parsed instants, because parsing them at each comparison would take most of a test's time. */
  private listed(): { us: number; asset: JsonObject & { id: string; dateModified: string } }[] {
    const all = [...this.assets.values()] as (JsonObject & { id: string; dateModified: string })[];
    return all.map((asset) => ({ us: usOf(asset.dateModified), asset })).toSorted((one, other) => one.us - other.us);
  }

  private page(query: URLSearchParams): string {
    const offset = query.get('offset') ?? '';
    const isDescending = query.get('descending') === '1';
    const after = offset === '' ? (isDescending ? Infinity : -1) : instantOf(offset);
    const listed = isDescending ? this.listed().toReversed() : this.listed();
    const further = listed.filter(({ us }) => (isDescending ? us < after : us > after));
    const data = further.slice(0, Number(query.get('limit') ?? 100)).map(({ asset }) => asset);
    return JSON.stringify({ data, next_page: { offset: data.at(-1)?.dateModified ?? offset } });
  }

  private digest(query: URLSearchParams): string {
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
    const [afterUs, upToUs] = [from === '' ? -1 : instantOf(from), to === '' ? Infinity : instantOf(to)];
    const within = this.listed().filter(({ us }) => us > afterUs && us <= upToUs);
    const sum = Buffer.alloc(16);
    for (const { asset } of within) {
      const digest = hash('sha256', `${asset.id} ${asset.dateModified}`, 'buffer');
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) ^ (digest[i] as number);
    }
    return JSON.stringify({ data: { from, to, count: within.length, digest: sum.toString('hex') } });
  }
}

function instantOf(text: string): number {
  return usOf(text.replace('Z', '+00:00'));
}
