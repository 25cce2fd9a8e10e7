import type { JsonObject } from '../support/assets.js';
import { DESYNC_SEQUENCES } from '../support/desync.js';
import type { Random } from '../support/random.js';
import { exchange, head, type RawReply } from '../support/raw-socket.js';
import type { Connection } from './connection.js';
import { bytesOf, dryRunOf, type FuzzRequest, type Known, type KnownAsset, mayDryRun, nextRequest } from './grammar.js';
import { mutateBytes } from './mutations.js';
import { faultsOfChange, faultsOfDryRun, faultsOfPage, faultsOfReply } from './oracle.js';

/** Something that the oracle does not accept. */
export interface Fault {
  what: string;
  request: Buffer;
  reply?: RawReply;
}

const MAX_STEPS = 20;
const RAW = 0.06;
const LOOKED_AT = 0.2;
/** A connection on which nothing comes for so long waits for more of a request; it is ended from this side. */
const IDLE_MS = 4_000;
const CANARY = Buffer.from(head('GET /api/0.1/spore HTTP/1.1', 'Host: a', 'X-Request-ID: canary', 'Connection: close'));
const SEQUENCES = Object.values(DESYNC_SEQUENCES);

/** Some requests of one client that follow from each other. The same source of randomness gives the same story. */
export class Story {
  readonly faults: Fault[] = [];
  readonly known: Known = { assets: [], links: [] };
  /** assetIDs that were given out. */
  readonly numbers: string[] = [];
  requests = 0;

  constructor(
    private readonly url: string,
    private readonly connection: Connection,
    private readonly random: Random,
  ) {}

  async run(): Promise<void> {
    for (let step = this.random.int(1, MAX_STEPS); step > 0 && this.faults.length === 0; step--) {
      const request = nextRequest(this.known, this.random);
      if (this.random.chance(RAW) && request.method !== 'HEAD') await this.sendRaw(request);
      else await this.send(request);
    }
  }

  private async send(request: FuzzRequest): Promise<void> {
    const bytes = bytesOf(request);
    const isDryRun = mayDryRun(request) && this.random.chance(LOOKED_AT);
    const dryRun = isDryRun ? await this.ask(bytesOf(dryRunOf(request)), false) : undefined;
    const reply = await this.ask(bytes, request.method === 'HEAD');
    if (reply === undefined) return;
    const before = request.asset?.data;
    const what = this.learn(request, reply);
    if (dryRun !== undefined) what.push(...faultsOfDryRun(dryRun, reply));
    const isGroup = request.asset === undefined && request.method === 'PATCH' && reply.status === 200;
    if (isIndented(reply) || isGroup) await this.refresh();
    const isMade = reply.status < 400 && !reply.headers.has('dry-run');
    const changesNothing = request.asset !== undefined && request.method === 'PATCH' && !isMade;
    if (changesNothing && this.random.chance(LOOKED_AT)) {
      const now = await this.read(request.asset as KnownAsset);
      if (now !== undefined && now !== before) what.push('a refused request, or a dry run, changed the asset');
    }
    this.report(what, bytes, reply);
  }

  /** Bytes that may be no request at all, or several. */
  private async sendRaw(request: FuzzRequest): Promise<void> {
    const isSequence = this.random.chance(0.3);
    const mutated = isSequence
      ? Buffer.from(this.random.pick(SEQUENCES), 'latin1')
      : mutateBytes(bytesOf(request), this.random);
    const bytes = Buffer.concat([mutated, CANARY]);
    this.requests++;
    try {
      const replies = await exchange(this.url, bytes, { endAfterMs: IDLE_MS });
      for (const reply of replies) {
        this.report(faultsOfReply(reply, false), bytes, reply);
        if (reply.status === 201) this.learnMade(reply);
      }
      const isAnswered = replies.at(-1)?.headers.get('x-request-id') === 'canary';
      if (isSequence && (isAnswered || replies.length !== 1)) this.report(['a hidden request was answered'], bytes);
    } catch (error) {
      this.report([(error as Error).message], bytes);
    }
    await this.refresh();
  }

  /** Reads what may have changed, or was not shown as it is kept. */
  private async refresh(): Promise<void> {
    for (const asset of this.known.assets) asset.data = (await this.read(asset)) ?? asset.data;
  }

  private async ask(bytes: Buffer, isHead: boolean): Promise<RawReply | undefined> {
    this.requests++;
    try {
      const reply = await this.connection.send(bytes, isHead);
      this.report(faultsOfReply(reply, isHead), bytes, reply);
      return reply;
    } catch (error) {
      this.connection.close();
      this.report([(error as Error).message], bytes);
      return undefined;
    }
  }

  /** @returns the JSON text of an asset */
  private async read(asset: KnownAsset): Promise<string | undefined> {
    const reply = await this.ask(bytesOf({ method: 'GET', target: `/api/0.1/assets/${asset.id}`, lines: [] }), false);
    asset.etag = reply?.headers.get('etag') ?? asset.etag;
    return reply?.status === 200 ? dataOf(reply.text) : undefined;
  }

  /** Takes over what an answer gives. @returns what is wrong with it */
  private learn(request: FuzzRequest, reply: RawReply): string[] {
    const { asset, method } = request;
    const hasToken = this.known.assets.some(({ token }) => reply.text.includes(token));
    const what = hasToken ? ['an owner token is shown a second time'] : [];
    if (reply.headers.has('dry-run')) return what;
    if (reply.status === 201) this.learnMade(reply, asset);
    else if (reply.status === 200 && method === 'POST' && asset !== undefined)
      what.push(...this.learnTaken(request, asset, reply));
    else if (reply.status === 200 && method === 'PATCH' && asset !== undefined)
      what.push(...this.learnChanged(request, asset, reply));
    else if (reply.status === 200 && reply.json?.next_page !== undefined) {
      what.push(...faultsOfPage(reply.json));
      this.known.links = [reply.json.next_page.path, reply.json.prev_page?.path].filter((path) => path !== undefined);
    }
    return what;
  }

  /** A new asset, or a transfer code. */
  private learnMade(reply: RawReply, asset?: KnownAsset): void {
    const { transfer } = (reply.json as { access: { transfer?: string } }).access;
    if (transfer === undefined) this.learnCreated(reply);
    else if (asset !== undefined) asset.code = transfer;
  }

  private learnTaken(request: FuzzRequest, asset: KnownAsset, reply: RawReply): string[] {
    const { json, headers, text } = reply;
    const { access, data } = json as { access: { token: string }; data: JsonObject };
    const sent = (JSON.parse(request.body ?? '') as { access: { transfer: unknown } }).access.transfer;
    const faults = faultsOfChange(JSON.parse(asset.data) as JsonObject, data, ['owner']);
    if (asset.code === undefined || sent !== asset.code) faults.push('an asset was taken over without its code');
    if ((JSON.parse(asset.data) as JsonObject)['owner'] === data['owner']) faults.push('the owner took it over');
    Object.assign(asset, { token: access.token, code: undefined, data: dataOf(text), etag: headers.get('etag') ?? '' });
    return faults;
  }

  private learnCreated(reply: RawReply): void {
    const { json, headers } = reply;
    const { access, data } = json as { access: { token: string }; data: { id: string; assetID: string } };
    this.numbers.push(data.assetID);
    this.known.assets.push({
      id: data.id,
      token: access.token,
      data: dataOf(reply.text),
      etag: headers.get('etag') ?? '',
    });
  }

  private learnChanged(request: FuzzRequest, asset: KnownAsset, reply: RawReply): string[] {
    const sent = (JSON.parse(request.body ?? '') as { data: JsonObject }).data;
    const faults = faultsOfChange(
      JSON.parse(asset.data) as JsonObject,
      reply.json.data as JsonObject,
      Object.keys(sent),
    );
    asset.etag = reply.headers.get('etag') ?? '';
    asset.data = dataOf(reply.text);
    return faults;
  }

  private report(what: string[], request: Buffer, reply?: RawReply): void {
    for (const sentence of what) this.faults.push({ what: sentence, request, ...(reply && { reply }) });
  }
}

function isIndented({ text }: RawReply): boolean {
  return text.includes('\n');
}

/** `data` is the last member of every answer about one asset. */
function dataOf(text: string): string {
  return text.slice(text.indexOf('"data":') + '"data":'.length, -1);
}
