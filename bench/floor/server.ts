/*
 * The floor: a hand-written server for the same requests, as small and fast as honestly possible: one query per request (a PATCH reads first),
 * and an answer only after a durable commit. It does not guarantee the feed: instants are taken before the commit, so a reader can miss changes
 * forever, and of two simultaneous PATCHes of one asset one is lost.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { BROKER_FIELDS, isAsset, isNewAsset } from './asset-schema.js';
import { accountIn, digestOf, Drafts, parseInstant, printInstant } from './drafts.js';
import type { Store } from './store.js';

const ASSETS = '/api/0.1/assets';
const NOTHING = Buffer.alloc(0);

export async function createFloor(store: Store): Promise<Server> {
  const floor = new Floor(store, await store.accounts(), await Drafts.open(store));
  return createServer((request, response) => {
    floor.handle(request, response).catch(() => send(response, 500, fault('server')));
  });
}

class Floor {
  constructor(
    private readonly store: Store,
    private readonly accounts: ReadonlyMap<string, string>,
    private readonly drafts: Drafts,
  ) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const id = url.startsWith(`${ASSETS}/`) ? url.slice(ASSETS.length + 1) : undefined;
    if (method === 'GET' && id !== undefined) return this.read(id, response);
    if (method === 'GET' && url.startsWith(ASSETS)) return this.list(url, request, response);
    if (method === 'POST' && url === ASSETS) return this.create(request, response);
    if (method === 'PATCH' && id !== undefined) return this.change(id, request, response);
    return send(response, 404, fault('path'));
  }

  private async read(id: string, response: ServerResponse): Promise<void> {
    const body = await this.store.findBody(id);
    if (body === undefined) send(response, 404, fault('id'));
    else send(response, 200, `{"data":${body}}`);
  }

  private async list(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const query = new URLSearchParams(url.slice(ASSETS.length + 1));
    const offset = query.get('offset') ?? '';
    const [afterUs, limit] = [offset === '' ? -1 : parseInstant(offset), Number(query.get('limit') ?? 100)];
    if (Number.isNaN(afterUs) || !(limit > 0)) return send(response, 400, fault('offset'));
    const whole = query.get('opt_fields') === '*';
    const rows = await this.store.page(whole, afterUs, limit);
    const entries = whole
      ? rows.map(([body]) => body)
      : rows.map(([name, us]) => `{"id":"${name}","dateModified":"${printInstant(us)}"}`);
    const last = rows.at(-1);
    const next = last === undefined ? offset : printInstant(last[1]);
    query.set('offset', next);
    const path = `${ASSETS}?${query.toString()}`;
    const page = JSON.stringify({ offset: next, path, uri: `http://${request.headers.host}${path}` });
    return send(response, 200, `{"next_page":${page},"data":[${entries.join(',')}]}`);
  }

  private async create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const owner = accountIn(this.accounts, request.headers.authorization);
    if (owner === undefined) return send(response, 401, fault('Authorization'));
    const data = dataIn(await bodyOf(request));
    if (!isNewAsset(data)) return send(response, 422, fault('data'));
    const { row, token } = this.drafts.make(data as Record<string, unknown>, owner);
    await this.store.insert(row);
    response.setHeader('Location', `http://${request.headers.host}${ASSETS}/${row.id}`);
    send(response, 201, `{"access":{"token":"${token}"},"data":${row.body}}`);
  }

  private async change(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const account = accountIn(this.accounts, request.headers.authorization);
    if (account === undefined) return send(response, 401, fault('Authorization'));
    const patch = dataIn(await bodyOf(request));
    const token = request.headers['x-access-token'];
    const stored = await this.store.find(id);
    if (stored === undefined) return send(response, 404, fault('id'));
    const isOwner = typeof token === 'string' && digestOf(token) === stored.tokenDigest && account === stored.owner;
    if (!isOwner || (stored.status !== 'draft' && stored.status !== 'pending'))
      return send(response, 403, fault('token'));
    if (patch === undefined || Object.keys(patch).some((name) => !BROKER_FIELDS.has(name)))
      return send(response, 422, fault('data'));
    const us = this.drafts.now();
    const asset = { ...(JSON.parse(stored.body) as object), ...patch, dateModified: printInstant(us) };
    if (!isAsset(asset)) return send(response, 422, fault('data'));
    const body = JSON.stringify(asset);
    await this.store.update(id, body, us);
    return send(response, 200, `{"data":${body}}`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] ?? NOTHING) : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

function dataIn(body: Buffer): Record<string, unknown> | undefined {
  try {
    const { data } = JSON.parse(body.toString()) as { data?: unknown };
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function fault(name: string): string {
  return JSON.stringify({ status: 'error', errors: [{ location: 'body', name, description: 'It is not accepted' }] });
}

function send(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
    .end(text);
}
