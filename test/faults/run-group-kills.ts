import { setTimeout as sleep } from 'node:timers/promises';
import { ASSETS, publish } from '../support/assets.js';
import { Random } from '../support/random.js';
import { sendTo } from '../support/registry.js';
import { Client } from './client.js';
import type { DatabaseKind } from './databases.js';
import { GroupLinks } from './group-links.js';
import { Copy, Histories, lookAtAll, Pool, type Shown } from './group-readers.js';
import { History } from './history.js';
import { System } from './system.js';

/** Rivals that link overlapping groups of assets, and what they are disturbed by. */
export interface GroupPlan {
  seed: number;
  database: DatabaseKind;
  /** How many groups must be acknowledged, about as many between two kills. */
  groups: number;
  /** kill -9, of a service and of the database in turn; on SQLite of the service. */
  kills: number;
  rivals: number;
  /** All of them stand on one page of the listing: at most 1,000. */
  assets: number;
  /** Of one group; half of the groups have at most the square root of that. */
  mostOfGroup: number;
  /** Processes on one database, 1 on SQLite. */
  services: number;
}

export interface GroupReport {
  violations: string[];
  counts: Record<string, number>;
  /** Where the server comes from. */
  server: string;
}

const HEADERS = {
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from('concierge:').toString('base64')}`,
};
const REST_MS = 40;
const LOOK_MS = 20;
const MOST_PAUSE_MS = 300;
const PAGES = [100, 1_000];

/** @param tell is given a line after each kill */
export async function runGroupKills(plan: GroupPlan, tell: (line: string) => void = () => {}): Promise<GroupReport> {
  const size = { services: plan.services, workers: 1, steppingClocks: false };
  const system = await System.start(plan.database, size);
  const history = new History();
  const client = new Client(history, system.urls);
  const random = new Random(plan.seed);
  try {
    const pool = new Pool(await publishAll(system, plan.assets), client, random.fork());
    return await new Run(plan, system, history, pool, random, tell).run();
  } finally {
    await client.close();
    await system.stop();
  }
}

async function publishAll({ urls }: System, count: number): Promise<string[]> {
  const registry = { send: (path: string, options?: object) => sendTo(urls[0] as string, path, options) };
  const ids: string[] = [];
  const AT_ONCE = 20;
  while (ids.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - ids.length) }, () => publish(registry));
    ids.push(...(await Promise.all(some)).map(({ id }) => id));
  }
  return ids;
}

class Run {
  private readonly links = new GroupLinks();
  private readonly copies: readonly Copy[];
  private readonly histories: Histories;
  private readonly kills = { service: 0, database: 0 };
  private readonly began = performance.now();
  private looks = 0;

  constructor(
    private readonly plan: GroupPlan,
    private readonly system: System,
    private readonly history: History,
    private readonly pool: Pool,
    private readonly random: Random,
    private readonly tell: (line: string) => void,
  ) {
    this.copies = PAGES.map((limit) => new Copy(pool, this.links, limit));
    this.histories = new Histories(pool, this.links);
  }

  async run(): Promise<GroupReport> {
    const { plan, links, system } = this;
    for (let number = 1; number <= plan.kills && links.violations.length === 0; number++) {
      await this.round(number, Math.ceil((plan.groups * number) / plan.kills));
      await this.judge();
      this.tell(
        `${this.seconds()} s: ${links.acknowledged} groups, ${number} kills, ${links.violations.length} violations`,
      );
    }
    for (const node of system.nodes) for (const death of node.deaths) links.broken(`a service ${death}`);
    return {
      violations: [...links.violations, ...this.history.complaints],
      counts: {
        seconds: this.seconds(),
        'groups sent': links.sent,
        'groups acknowledged': links.acknowledged,
        'changes of assets in them': links.changes,
        'kills of a service': this.kills.service,
        'kills of the database': this.kills.database,
        'whole pages looked at': this.looks,
      },
      server: system.database.origin,
    };
  }

  /** Rivals and readers go on through a kill, until so many groups were acknowledged in all. */
  private async round(number: number, target: number): Promise<void> {
    const { links, plan, random } = this;
    let isHarmed = false;
    const half = (links.acknowledged + target) / 2;
    const isOver = (): boolean => links.violations.length > 0 || (isHarmed && links.acknowledged >= target);
    const rivals = Array.from({ length: plan.rivals }, () => this.link(random.fork(), isOver));
    const readers = [this.look(isOver), ...this.copies.map((copy) => this.follow(copy, isOver))];
    while (links.acknowledged < half && links.violations.length === 0) await sleep(LOOK_MS);
    // Not just when a group is over.
    await sleep(random.next() * MOST_PAUSE_MS);
    await this.kill(number);
    isHarmed = true;
    await Promise.all([...rivals, ...readers]);
  }

  private async link(random: Random, isOver: () => boolean): Promise<void> {
    const { links, pool } = this;
    while (!isOver()) {
      const members = this.choose(random);
      const lot = links.begin(members);
      const relatedLot = lot.toString(16).padStart(32, '0');
      const data = members.map((place) => ({ id: pool.ids[place], relatedLot }));
      const sent = { method: 'PATCH', headers: HEADERS, body: JSON.stringify({ data }) } as const;
      const { status, text } = await pool.client.send(pool.node(), ASSETS, sent);
      if (status === 200)
        links.acknowledge(
          lot,
          (JSON.parse(text) as { data: Shown[] }).data.map((one) => pool.linkOf(one)),
        );
      else if (status !== 0 && status !== 503)
        links.broken(`group ${lot} was answered ${status}: ${text.slice(0, 500)}`);
      else await sleep(REST_MS);
    }
  }

  /** Mostly few, now and then as many as may be, in any order. */
  private choose(random: Random): number[] {
    const { assets, mostOfGroup } = this.plan;
    const count = Math.round(mostOfGroup ** random.next());
    const places = Array.from({ length: assets }, (_, place) => place);
    for (let i = 0; i < count; i++) {
      const other = random.int(i, assets - 1);
      [places[i], places[other]] = [places[other] as number, places[i] as number];
    }
    return places.slice(0, count);
  }

  private async look(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await lookAtAll(this.pool, this.links);
      this.looks += 1;
      await sleep(REST_MS);
    }
  }

  private async follow(copy: Copy, isOver: () => boolean): Promise<void> {
    while (!isOver()) if (await copy.follow()) await sleep(REST_MS);
  }

  private async kill(number: number): Promise<void> {
    const { system, random } = this;
    const hosts = number % 2 === 0 ? system.database.hosts : [];
    this.kills[hosts.length === 0 ? 'service' : 'database'] += 1;
    if (hosts.length === 0) {
      const node = random.pick(system.nodes);
      await node.kill();
      await node.start();
    } else {
      const host = random.pick(hosts);
      await host.kill();
      await host.restart();
    }
  }

  /** Nobody writes: the histories have each group as a whole or not at all, and the copies have what the histories have. */
  private async judge(): Promise<void> {
    await lookAtAll(this.pool, this.links);
    for (const copy of this.copies) while (!(await copy.follow()));
    await this.histories.readOn();
    this.links.checkKept();
    for (const copy of this.copies) copy.compare(this.histories.latest);
  }

  private seconds(): number {
    return Math.round((performance.now() - this.began) / 1_000);
  }
}
