import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { NewRow, Store } from './store.js';

/** A new asset, its row, and the token for its owner. */
export interface Draft {
  asset: Record<string, unknown>;
  row: NewRow;
  token: string;
}

/** Makes new assets, numbered from the day's last one. */
export class Drafts {
  private last = 0;

  private constructor(
    private readonly prefix: string,
    private number: number,
  ) {}

  static async open(store: Store): Promise<Drafts> {
    const prefix = `UA-${new Date().toISOString().slice(0, 10)}-`;
    return new Drafts(prefix, await store.lastNumber(prefix));
  }

  now(): number {
    this.last = Math.max(this.last + 1, Math.floor((performance.timeOrigin + performance.now()) * 1_000));
    return this.last;
  }

  make(data: Record<string, unknown>, owner: string): Draft {
    const [id, token, us] = [randomUUID().replaceAll('-', ''), randomBytes(16).toString('hex'), this.now()];
    const assetId = this.prefix + String(++this.number).padStart(6, '0');
    const date = printInstant(us);
    const { assetType, ...fields } = data;
    const asset = { id, assetID: assetId, assetType, status: 'draft', ...fields, owner, date, dateModified: date };
    const row = { id, assetId, owner, tokenDigest: digestOf(token), body: JSON.stringify(asset), us };
    return { asset, row, token };
  }
}

export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The account of a Basic header, whose user is the key. @param accounts names by digest of their keys */
export function accountIn(accounts: ReadonlyMap<string, string>, authorization = ''): string | undefined {
  const [user = ''] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
  return accounts.get(digestOf(user));
}

/** @param us microseconds @returns in UTC: `2017-08-16T18:36:13.882146+00:00` */
export function printInstant(us: number): string {
  const text = new Date(Math.floor(us / 1_000)).toISOString().slice(0, -1);
  return `${text}${String(us % 1_000).padStart(3, '0')}+00:00`;
}

export function parseInstant(text: string): number {
  return Date.parse(text.slice(0, 23) + text.slice(26)) * 1_000 + Number(text.slice(23, 26));
}
