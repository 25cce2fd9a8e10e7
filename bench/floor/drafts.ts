import { randomBytes, randomUUID } from 'node:crypto';
import { Clock, type Place } from './clock.js';
import { digestOf } from './credentials.js';
import type { LocalTime } from './local-time.js';
import type { NewRow, Store } from './store.js';

/** A new asset, its row, and the token for its owner. */
export interface Draft {
  asset: Record<string, unknown>;
  row: NewRow;
  token: string;
}

/** Makes new assets, with numbers that go on from the last one of the day. */
export class Drafts {
  private constructor(
    private readonly clock: Clock,
    private readonly time: LocalTime,
    private readonly step: number,
    private readonly prefix: string,
    private number: number,
  ) {}

  static async open(store: Store, time: LocalTime, place: Place): Promise<Drafts> {
    const clock = new Clock(place);
    const prefix = `UA-${time.print(clock.now()).slice(0, 10)}-`;
    const number = (await store.lastNumber(prefix)) + place.process;
    return new Drafts(clock, time, place.processes, prefix, number);
  }

  /** Of a change, too. Microseconds. */
  now(): number {
    return this.clock.now();
  }

  make(data: Record<string, unknown>, owner: string): Draft {
    const [id, token, us] = [randomUUID().replaceAll('-', ''), randomBytes(16).toString('hex'), this.now()];
    const assetId = this.prefix + String((this.number += this.step)).padStart(6, '0');
    const date = this.time.print(us);
    const { assetType, ...fields } = data;
    const asset = { id, assetID: assetId, assetType, status: 'draft', ...fields, owner, date, dateModified: date };
    const row = { id, assetId, owner, tokenDigest: digestOf(token), body: JSON.stringify(asset), us };
    return { asset, row, token };
  }
}
