import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RegistryClient } from 'asset-registry-client';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { ASSETS, assetBody, change, type JsonObject, type Owned, publish } from '../support/assets.js';
import type { Shown } from '../support/asset-filters.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { Random } from '../support/random.js';
import { type Sender, sendTo, TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const ASSETS_AT_FIRST = 20;
/** A rebuilt index adds them before or after the followed ones. */
const OTHER_ASSETS = 300;
const WRITERS = 5;
/** Shorter than what comes in a round: each follower reads several pages. */
const LIMIT = 7;
const REGIONS = ['Львівська область', 'Одеська область', 'Край'];
const MAX_MS = 1_200_000;

/** Queries to follow; `fits` is the same filter in code. */
const FILTERS: { query: string; fits: (asset: Shown) => boolean }[] = [
  { query: 'region=Lviv', fits: ({ address }) => address.region === REGIONS[0] },
  {
    query: 'currency=UAH&valueFrom=50&status=pending',
    fits: ({ value, status }) => value.amount >= 50 && status === 'pending',
  },
  { query: 'q=стодола', fits: ({ title }) => title.startsWith('Стодола') },
];

/** Follows one filter by `next_page` alone, from its beginning, whatever becomes of the service. */
class FilterFollower {
  readonly seen: Shown[] = [];
  readonly fits: (asset: Shown) => boolean;
  private path: string;

  constructor(
    private readonly sender: Sender,
    { query, fits }: (typeof FILTERS)[number],
  ) {
    this.fits = fits;
    this.path = `${ASSETS}/search?${query}&sort=dateModified&limit=${LIMIT}&opt_fields=*`;
  }

  /** Reads a page. @returns how far the search had followed, where the page was empty */
  async turn(): Promise<string | undefined> {
    const reply = await this.sender.send(this.path).catch(() => undefined);
    if (reply?.status !== 200) return undefined;
    const { data, next_page: next, indexed_up_to: indexed } = reply.json as SearchAnswer;
    this.seen.push(...data);
    this.path = next.path;
    return data.length === 0 ? indexed : undefined;
  }
}

interface SearchAnswer {
  data: Shown[];
  next_page: { path: string };
  indexed_up_to: string;
}

/** Follows the first filter with the typed client. Each started service gets a new client, which continues where the last one ended. */
class ClientFollower {
  readonly seen: Shown[] = [];
  private from = '';
  private epoch: string | undefined;
  private over = new AbortController();
  private following: Promise<void> = Promise.resolve();

  start(url: string): void {
    this.over = new AbortController();
    this.following = this.follow(new RegistryClient(url, { signal: this.over.signal, retries: Infinity }));
  }

  private async follow(client: RegistryClient): Promise<void> {
    const { from, epoch } = this;
    const filter = { region: ['Lviv'] };
    const changes = client.changes({ from, filter, follow: true, fields: '*', ...(epoch && { epoch }), limit: LIMIT });
    try {
      for await (const one of changes) {
        this.seen.push(one.asset as Shown);
        this.epoch = one.epoch;
        one.ack();
        this.from = changes.acknowledged;
      }
    } catch (error) {
      if (error !== this.over.signal.reason) throw error;
    } finally {
      await client.close();
    }
  }

  /** Also ends with the follower, because the newest asset may no longer match the filter. */
  async seesUpTo(instant: string): Promise<void> {
    await Promise.race([this.following, until(() => (this.seen.at(-1)?.dateModified ?? '') >= instant)]);
  }

  async stop(): Promise<void> {
    this.over.abort(new Error('The service has ended'));
    await this.following;
  }
}

/**
 * The tests of a filtered feed while others write and the service is killed, on each database.
 * @param changes between two kills
 */
export function describeFilteredFeed(kills: number, changes: number): void {
  describe.each(databases)(`a filtered feed, ${kills} kills of the service, on $name (SEED=${SEED})`, (kind) => {
    const random = new Random(SEED);
    const folder = mkdtempSync(join(tmpdir(), 'registry-filtered-'));
    let database: TestDatabase;
    let service: ServiceProcess;
    let changeable: Owned[] = [];
    const sender: Sender = { send: (path, options) => sendTo(service.url, path, options) };
    const newFollowers = (): FilterFollower[] => FILTERS.map((filter) => new FilterFollower(sender, filter));
    const followers = newFollowers();
    const client = new ClientFollower();

    const start = async (): Promise<void> => {
      service = await ServiceProcess.start({ DATABASE_URL: database.url, SEARCH_INDEX: join(folder, 'index.sqlite') });
      client.start(service.url);
    };
    const randomFields = (): JsonObject => {
      const { address, value } = assetBody().data as { address: JsonObject; value: JsonObject };
      return {
        title: `${random.pick(['Стодола', 'Горище'])} ${random.int(1, 9)}`,
        address: { ...address, region: random.pick(REGIONS) },
        value: { ...value, currency: 'UAH', amount: random.int(1, 100) },
      };
    };
    /** @returns whether it was acknowledged @throws when the service is gone */
    const writeOne = async (): Promise<boolean> => {
      if (changeable.length < WRITERS || random.chance(0.2)) {
        changeable.push(await publish(sender, randomFields()));
        return true;
      }
      const [owned] = changeable.splice(random.int(0, changeable.length - 1), 1) as [Owned];
      const isDeletion = random.chance(0.1);
      const { status } = await change(sender, owned, { ...randomFields(), ...(isDeletion && { status: 'deleted' }) });
      if (status === 200 && !isDeletion) changeable.push(owned);
      return status === 200;
    };
    /** Followers read on while assets are written; behind so many changes the service is killed, with writes under way. */
    const round = async (): Promise<void> => {
      let left = changes;
      let killed: Promise<unknown> | undefined;
      const writing = Array.from({ length: WRITERS }, async () => {
        while (left > 0) if (await writeOne().catch(() => false)) left--;
        killed ??= service.kill('SIGKILL');
      });
      const following = followers.map(async (follower) => {
        while (left > 0) await follower.turn();
      });
      await Promise.all([...writing, ...following]);
      await killed;
      await client.stop();
    };
    const listed = async (): Promise<Shown[]> => {
      const all: Shown[] = [];
      for (let path = `${ASSETS}?limit=1000&opt_fields=*`; ;) {
        const { json } = await sender.send(path);
        if (json.data.length === 0) return all;
        all.push(...(json.data as Shown[]));
        path = json.next_page.path as string;
      }
    };
    /** All assets, read until no follower finds more: a write in flight at the kill may commit after the first read. */
    const settled = async (): Promise<Shown[]> => {
      for (;;) {
        const assets = await listed();
        const newest = assets.at(-1)?.dateModified ?? '';
        const ends = await Promise.all(followers.map((follower) => endOf(follower, newest)));
        if (ends.every((end) => end === newest)) return assets;
      }
    };

    beforeAll(async () => {
      database = await kind.create();
      await migrate(database.url);
      const first = await TestRegistry.startOn(database.url);
      await publish(first, { value: { currency: 'EUR', amount: 1 } });
      await first.close();
      await addAssets(database.url, OTHER_ASSETS);
      await start();
      changeable = await Promise.all(Array.from({ length: ASSETS_AT_FIRST }, () => publish(sender, randomFields())));
    }, MAX_MS);
    afterAll(async () => {
      await client.stop();
      await service?.kill('SIGTERM');
      await database?.drop();
      removeFolder(folder);
    });

    it(
      'hands out everything that fits, once and in order, and goes on where it was after each kill',
      async () => {
        for (let kill = 0; kill < kills; kill++) {
          await round();
          // Every other time the index is rebuilt, with followers at their old positions and at the beginning.
          if (kill % 2 === 1) {
            for (const file of readdirSync(folder)) await rm(join(folder, file));
            followers.push(...newFollowers());
          }
          await start();
          await judge(await settled());
        }
      },
      MAX_MS,
    );

    async function judge(assets: readonly Shown[]): Promise<void> {
      for (const [i, { seen, fits }] of followers.entries()) expectFollowed(`follower ${i}`, seen, { assets, fits });
      const { fits } = followers[0] as FilterFollower;
      await client.seesUpTo(assets.findLast(fits)?.dateModified ?? '');
      expectFollowed('the client', client.seen, { assets, fits });
    }
  });
}

/** Reads on to an empty page. @returns how far the search had followed then: at least to `newest` */
async function endOf(follower: FilterFollower, newest: string): Promise<string> {
  let end = '';
  await until(async () => (end = (await follower.turn()) ?? '') >= newest);
  return end;
}

/** @param now all assets, and what is looked for among them */
function expectFollowed(
  what: string,
  seen: readonly Shown[],
  { assets, fits }: { assets: readonly Shown[]; fits: (asset: Shown) => boolean },
): void {
  const instants = seen.map(({ dateModified }) => dateModified);
  expect([what, instants]).toEqual([what, [...new Set(instants)].toSorted()]);
  expect([what, seen.filter((asset) => !fits(asset))]).toEqual([what, []]);
  const known = new Map(seen.map((asset) => [asset.dateModified, asset]));
  const fitting = assets.filter(fits);
  expect([what, fitting.map(({ dateModified }) => known.get(dateModified))]).toEqual([what, fitting]);
}
