import { setTimeout as sleep } from 'node:timers/promises';
import { ASSETS, assetBody } from '../support/assets.js';
import type { Random } from '../support/random.js';
import type { Answer, Client } from './client.js';
import { ALL_FIELDS, contentOf, fieldsOf, instantUs, opOf, type ShownAsset, textOf, TITLE } from './content.js';
import type { History, Outcome, Write, WriteKind } from './history.js';

/** The data that an owner needs to change an asset. */
export interface OwnedAsset {
  asset: number;
  id: string;
  token: string;
  us: number;
}

const HEADERS = {
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from('broker:').toString('base64')}`,
};
const LARGE_SHARE = 0.12;
const MAX_OWN = 50;
const REST_MS = 40;

/** A broker's program: it creates, publishes, changes and deletes, one request at a time, and continues after every failure. */
export class Writer {
  private counter = 0;
  private readonly own: OwnedAsset[] = [];

  /** @param hot assets that all writers change */
  constructor(
    private readonly number: number,
    private readonly random: Random,
    private readonly client: Client,
    private readonly history: History,
    private readonly hot: OwnedAsset[] = [],
  ) {}

  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.act();
  }

  /** Creates a published asset for all writers to change; retries until it succeeds. */
  async createHot(): Promise<OwnedAsset> {
    for (;;) {
      const owned = await this.create();
      if (owned !== undefined && (await this.change('publish', owned))) return owned;
    }
  }

  /** Creates one more asset when all else is quiet: its number shows which numbers were used before. */
  async createLast(): Promise<void> {
    await this.create();
  }

  private async act(): Promise<void> {
    const dice = this.random.next();
    // Most assets are published once and never changed again, because a later change would hide the loss of an earlier one.
    if (dice < 0.4) return this.publish('forget');
    if (dice < 0.47) return void (await this.create());
    if (dice < 0.55) return this.publish('keep');
    if (dice < 0.73) return void (await this.patch(this.random.pick(this.hot)));
    if (dice < 0.9) return this.changeOwn();
    if (dice < 0.95) return this.deleteOwn();
    const { id, us } = this.random.pick(this.own.length > 0 ? this.own : this.hot);
    return this.client.readDetail(this.node(), -1 - this.number, id, us);
  }

  private async publish(then: 'forget' | 'keep'): Promise<void> {
    const owned = await this.create();
    if (owned === undefined || !(await this.change('publish', owned))) return;
    if (then === 'keep' && this.own.length < MAX_OWN) this.own.push(owned);
  }

  private async changeOwn(): Promise<void> {
    if (this.own.length > 0) await this.patch(this.random.pick(this.own));
  }

  private async deleteOwn(): Promise<void> {
    if (this.own.length === 0) return;
    const [owned] = this.own.splice(this.random.int(0, this.own.length - 1), 1);
    await this.change('delete', owned as OwnedAsset);
  }

  private patch(owned: OwnedAsset): Promise<boolean> {
    return this.change('patch', owned, 1 << this.random.int(0, 2));
  }

  private async create(): Promise<OwnedAsset | undefined> {
    const op = this.nextOp();
    const body = JSON.stringify(this.bodyOf(op));
    const answer = await this.client.send(this.node(), ASSETS, { method: 'POST', headers: HEADERS, body });
    const json = this.note('create', { op, fields: ALL_FIELDS, asset: -1 }, answer);
    if (json === undefined) return this.rest();
    const { data, access } = json;
    return {
      asset: this.history.assetOf(data.id),
      id: data.id,
      token: access?.token ?? '',
      us: instantUs(data.dateModified),
    };
  }

  private bodyOf(op: number): object {
    const { unit, ...fields } = fieldsOf(op, ALL_FIELDS, this.length());
    return assetBody({ ...fields, unit: { code: 'H87', ...(unit as object) } });
  }

  /** @returns whether it was acknowledged */
  private async change(kind: Exclude<WriteKind, 'create'>, owned: OwnedAsset, fields = TITLE): Promise<boolean> {
    const op = this.nextOp();
    const status = { publish: { status: 'pending' }, delete: { status: 'deleted' }, patch: {} }[kind];
    const body = JSON.stringify({ data: { ...status, ...fieldsOf(op, fields, this.length()) } });
    const headers = { ...HEADERS, 'x-access-token': owned.token };
    const answer = await this.client.send(this.node(), `${ASSETS}/${owned.id}`, { method: 'PATCH', headers, body });
    const json = this.note(kind, { op, fields, asset: owned.asset }, answer);
    if (json === undefined) return (await this.rest()) ?? false;
    owned.us = Math.max(owned.us, instantUs(json.data.dateModified));
    return true;
  }

  /** @returns the answer's JSON if the write was acknowledged */
  private note(
    kind: WriteKind,
    write: Pick<Write, 'op' | 'fields' | 'asset'>,
    answer: Answer,
  ): Acknowledged | undefined {
    const { invoked, returned, status, text } = answer;
    const outcome = outcomeOf(status);
    const record: Write = { ...write, kind, invoked, returned, outcome, us: 0 };
    if (outcome === 'fail') this.history.complain(`${kind} ${textOf(write.op)} was answered ${status}: ${text}`);
    const json = outcome === 'ok' ? (JSON.parse(text) as Acknowledged) : undefined;
    if (json !== undefined) {
      const { data } = json;
      Object.assign(record, {
        asset: this.history.assetOf(data.id),
        us: instantUs(data.dateModified),
        content: contentOf(data),
      });
      if (kind === 'create') Object.assign(record, { assetID: data.assetID, day: data.date.slice(0, 10) });
    }
    this.history.recordWrite(record);
    return json;
  }

  /** Pauses a little after a failure, as clients do, instead of retrying in a tight loop. */
  private async rest(): Promise<undefined> {
    await sleep(REST_MS + this.random.int(0, REST_MS));
    return undefined;
  }

  private nextOp(): number {
    this.counter += 1;
    return opOf(this.number, this.counter);
  }

  private length(): number {
    return this.random.chance(LARGE_SHARE) ? this.random.int(1_000, 10_000) : 0;
  }

  private node(): number {
    return this.random.int(0, this.client.urls.length - 1);
  }
}

interface Acknowledged {
  data: ShownAsset;
  access?: { token: string };
}

function outcomeOf(status: number): Outcome {
  if (status === 200 || status === 201) return 'ok';
  return status >= 400 && status < 500 ? 'fail' : 'info';
}
