import { basic } from '../../src/asset-types/basic/basic.asset-type.js';
import { checkGivable, takenOver } from '../../src/assets/ownership-change.js';
import { secretDigest } from '../../src/auth/api-key.js';
import { checkPermission } from '../../src/auth/key-and-token.guard.js';
import type { Asset } from '../../src/database/entities/asset.entity.js';
import type { DraftedAsset, Operation } from '../../src/feed/writing/operation.js';
import type { Random } from '../support/random.js';
import { type Stage, takeRefusal } from './actors.js';
import { BEGINNING_MS, type SimulatedService } from './simulated-service.js';
import { markOf } from './witness.js';

/** A transfer code that was asked for. */
interface Asked {
  code: string;
  expiresMs: number;
  isAcknowledged: boolean;
  /** When it was known to be used, or replaced. */
  overMs: number;
  used: number;
}

/** Who has an asset, or had it. The name is the owner token too. */
interface Holder {
  name: string;
  /** Not earlier than the instant at which it came to have it. */
  us: number;
  /** When it was known that another one has it. */
  overMs: number;
}

const RIVALS = 3;
const LIVES_MS = [50, 500, 1_000_000];
const PAUSE_MS = 100;

/** An asset that goes from broker to broker: codes are asked for, replaced, left to expire, and taken by rivals, also by who comes too late. */
export class Transfers {
  private readonly codes: Asked[] = [];
  private readonly holders: Holder[];
  /** By their writes: who took the asset over, answered or not. */
  private readonly takers = new Map<number, string>();

  /** @param id of an asset that has just been created by that broker */
  constructor(
    private readonly stage: Stage,
    private readonly random: Random,
    readonly id: string,
    private readonly creator: string,
  ) {
    this.holders = [{ name: creator, us: 0, overMs: Infinity }];
  }

  async run(rounds: number): Promise<void> {
    const { stage, random } = this;
    for (let i = 0; i < rounds; i++) {
      const owner = await this.holderNow();
      for (let count = random.int(1, 2); owner !== undefined && count > 0; count--) await this.ask(owner);
      const rivals = this.codes.length === 0 ? 0 : RIVALS;
      await Promise.all([
        ...Array.from({ length: rivals }, () => this.take(random.pick(this.codes.slice(-RIVALS)))),
        ...this.holders.slice(-2).map((holder) => this.change(holder)),
      ]);
      await stage.time.sleep(random.next() * PAUSE_MS);
    }
  }

  /** In the end it has one owner, who took it over last, with the token of then, and no code that was used. */
  conclude(row: Asset | undefined, kept: string | undefined): void {
    const writes = [...(row?.body ?? '').matchAll(/<(\d+)>/g)].map(([, write]) => Number(write));
    const last = writes.findLast((write) => this.takers.has(write));
    const owner = last === undefined ? this.creator : this.takers.get(last);
    if (row?.owner !== owner || row?.tokenDigest !== secretDigest(owner ?? ''))
      this.broken(`is ${row?.owner}'s, and ${owner} took it over last, with another token`);
    const used = this.codes.find(({ code, used: times }) => times > 0 && secretDigest(code) === kept);
    if (used !== undefined) this.broken(`has the code ${used.code} still, which was used`);
  }

  private async ask({ name }: Holder): Promise<void> {
    const { time } = this.stage;
    const earlier = this.codes.filter(({ isAcknowledged }) => isAcknowledged);
    const expiresMs = time.nowMs + this.random.pick(LIVES_MS);
    const asked = {
      code: `code ${this.stage.nextWrite()}`,
      expiresMs,
      isAcknowledged: false,
      overMs: Infinity,
      used: 0,
    };
    this.codes.push(asked);
    const decide = (current: Asset | undefined): undefined => {
      checkGivable(this.permitted(current, name), basic);
    };
    const kept = { digest: secretDigest(asked.code), expiresUs: microseconds(expiresMs) };
    if ((await this.send((service) => service.keepCode(this.operation(name, decide), kept))) === undefined) return;
    asked.isAcknowledged = true;
    for (const one of earlier) one.overMs = Math.min(one.overMs, time.nowMs);
  }

  private async take(asked: Asked): Promise<void> {
    const { time, witness } = this.stage;
    const write = this.stage.nextWrite();
    const taker = `broker ${write}`;
    this.takers.set(write, taker);
    const taking = { taker, codeDigest: secretDigest(asked.code), tokenDigest: secretDigest(taker) };
    const decide: Operation['decide'] = (current, { code }): DraftedAsset => {
      const drafted = takenOver(current as Asset, code, taking, microseconds(time.nowMs));
      checkGivable(current as Asset, basic);
      return { ...drafted, body: drafted.body + markOf(write) };
    };
    const [sentMs, afterUs] = [time.nowMs, witness.highestUs];
    const made = await this.send((service) => service.submit({ ...this.operation(taker, decide), usesCode: true }));
    if (made === undefined) return;
    const [asset] = made as [Asset];
    witness.acknowledge(asset, write, afterUs);
    asked.used += 1;
    if (asked.used > 1) this.broken(`was taken over twice with ${asked.code}`);
    if (asked.overMs < sentMs) this.broken(`was taken over with ${asked.code}, which was replaced or used`);
    if (asked.expiresMs < sentMs) this.broken(`was taken over with ${asked.code}, which had expired`);
    asked.overMs = Math.min(asked.overMs, time.nowMs);
    this.hold(taker, asset.modifiedUs);
  }

  private async change({ name, overMs }: Holder): Promise<void> {
    const { time, witness } = this.stage;
    const write = this.stage.nextWrite();
    const decide = (current: Asset | undefined): DraftedAsset => {
      const asset = this.permitted(current, name);
      return { ...asset, body: asset.body + markOf(write), listed: true, changed: [] };
    };
    const [sentMs, afterUs] = [time.nowMs, witness.highestUs];
    const made = await this.send((service) => service.submit(this.operation(name, decide)));
    if (made === undefined) return;
    witness.acknowledge((made as [Asset])[0], write, afterUs);
    if (overMs < sentMs) this.broken(`was changed with the token of ${name}, who had it before`);
  }

  private permitted(current: Asset | undefined, name: string): Asset {
    const sent = { digest: secretDigest(name), location: 'header', name: 'X-Access-Token' } as const;
    checkPermission(current as Asset, { account: { name, role: 'broker' }, sent });
    return current as Asset;
  }

  /** Who has it as one reads; a taking without an answer may have been made. */
  private async holderNow(): Promise<Holder | undefined> {
    const asset = await this.send((service) => service.find(this.id));
    return asset && this.hold(asset.owner, asset.modifiedUs);
  }

  private hold(name: string, us: number): Holder {
    const known = this.holders.find((holder) => holder.name === name);
    if (known !== undefined) return known;
    const holder = { name, us, overMs: Infinity };
    this.holders.push(holder);
    this.holders.sort((a, b) => a.us - b.us);
    for (const earlier of this.holders.slice(0, -1)) earlier.overMs = Math.min(earlier.overMs, this.stage.time.nowMs);
    return holder;
  }

  private operation(account: string, decide: Operation['decide']): Operation {
    return { ids: [this.id], creates: false, author: { account, requestId: 'r' }, bytes: 100, decide };
  }

  /** @returns undefined where it was refused, or got no answer */
  private async send<T>(request: (service: SimulatedService) => Promise<T>): Promise<T | undefined> {
    try {
      return await request(this.random.pick(this.stage.services));
    } catch (error) {
      takeRefusal(error, this.stage.witness);
      return undefined;
    }
  }

  private broken(sentence: string): void {
    this.stage.witness.broken(`transfer: ${this.id} ${sentence}`);
  }
}

function microseconds(ms: number): number {
  return Math.round((BEGINNING_MS + ms) * 1_000);
}

/** Creates an asset, as often as it takes, and hands it on. @returns its transfers, to be concluded */
export async function runTransfers(stage: Stage, random: Random, rounds: number): Promise<Transfers | undefined> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const write = stage.nextWrite();
    const creator = `broker ${write}`;
    const id = `${write.toString(16)}`.padStart(32, '0');
    const drafted: DraftedAsset = { id, assetType: 'basic', status: 'pending', owner: creator, tokenDigest: secretDigest(creator), relatedLot: null, body: markOf(write), listed: true, changed: [] }; // prettier-ignore
    const author = { account: creator, requestId: 'r' };
    const afterUs = stage.witness.highestUs;
    try {
      const made = await random.pick(stage.services).submit({ ids: [id], creates: true, author, bytes: 100, decide: () => drafted }); // prettier-ignore
      stage.witness.acknowledge((made as [Asset])[0], write, afterUs);
    } catch (error) {
      takeRefusal(error, stage.witness);
      await stage.time.sleep(PAUSE_MS);
      continue;
    }
    const transfers = new Transfers(stage, random, id, creator);
    await transfers.run(rounds);
    return transfers;
  }
  return undefined;
}
