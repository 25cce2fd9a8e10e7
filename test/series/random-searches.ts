import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { type Filter, filtersFrom, randomBody, type Shown } from '../support/asset-filters.js';
import { ASSETS, change, createFrom, type Owned } from '../support/assets.js';
import type { TestDatabaseKind } from '../support/databases.js';
import { Random } from '../support/random.js';
import { TestRegistry } from '../support/registry.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const ASSETS_AT_FIRST = 30;
/** All of them fit on one page, and are filtered in no time. */
const MAX_ASSETS = 120;
const WRITERS = 3;
/** Searches per round; between rounds no writes run, and recorded versions are dropped. */
const QUERIES_OF_A_ROUND = 100;
const SORTS = ['-dateModified', 'dateModified', 'value', '-value'] as const;
const MAX_MS = 3_600_000;
/** So far the feed's clock may be ahead of this process's: it lets the system's clock deviate a little. */
const AHEAD_MS = 10;

interface Asked {
  sent: string;
  filters: Filter[];
  sort: (typeof SORTS)[number];
  found: { data: Shown[]; total: number; total_is_exact: boolean; indexed_up_to: string };
  answeredMs: number;
}

/** The tests of so many random searches of a registry that is changed meanwhile. */
export function describeRandomSearches(kinds: readonly TestDatabaseKind[], queries: number): void {
  describe.each(kinds)(`${queries} random searches while others write, on $name (SEED=${SEED})`, (kind) => {
    const random = new Random(SEED);
    const folder = mkdtempSync(join(tmpdir(), 'registry-search-'));
    let registry: TestRegistry;
    const changeable: Owned[] = [];
    let made = 0;

    beforeAll(async () => {
      registry = await TestRegistry.start(kind, { SEARCH_INDEX: join(folder, 'index.sqlite') });
      for (let i = 0; i < ASSETS_AT_FIRST; i++) await write([]);
    });
    afterAll(async () => {
      await registry?.stop();
      removeFolder(folder);
    });

    /** Publishes an asset, changes one, or deletes it: while there is room for another one. */
    async function write(versions: Shown[]): Promise<void> {
      const isRoom = made < MAX_ASSETS;
      if (isRoom && (changeable.length < WRITERS || random.chance(0.3))) {
        made++;
        const owned = await createFrom(registry, randomBody(random));
        await changeTo(owned, 'pending', versions);
        changeable.push(owned);
        return;
      }
      // Taken out of the list, so that no other writer changes it meanwhile.
      const [owned] = changeable.splice(random.int(0, changeable.length - 1), 1) as [Owned];
      const status = isRoom && changeable.length > WRITERS && random.chance(0.1) ? 'deleted' : 'pending';
      await changeTo(owned, status, versions);
      if (status !== 'deleted') changeable.push(owned);
    }

    async function changeTo(owned: Owned, status: string, versions: Shown[]): Promise<void> {
      const { status: answered, json } = await change(registry, owned, {
        ...randomBody(random).data,
        assetType: undefined,
        status,
      });
      expect(answered).toBe(200);
      versions.push(json.data as Shown);
    }

    async function ask(assets: readonly Shown[]): Promise<Asked> {
      const filters = filtersFrom(random, assets).filter(() => random.int(0, 3) === 0);
      const query = filters.flatMap((filter) => filter.query);
      const sort = random.pick(query.some(([name]) => name === 'currency') ? SORTS : SORTS.slice(0, 2));
      const sent = new URLSearchParams([...query, ['sort', sort], ['limit', '1000'], ['opt_fields', '*']]);
      const reply = await registry.send(`${ASSETS}/search?${sent.toString()}`);
      expect([sent.toString(), reply.status]).toEqual([sent.toString(), 200]);
      return { sent: sent.toString(), filters, sort, found: reply.json as Asked['found'], answeredMs: Date.now() };
    }

    /** Waits until the index includes all changes before the round. Each search also waits a little. */
    async function indexedUpTo(instant: string): Promise<void> {
      let known = '';
      while (known < instant) known = (await registry.send(`${ASSETS}/search?limit=1`)).json.indexed_up_to as string;
    }

    /** @returns of how many moments the answers were */
    async function round(count: number): Promise<number> {
      const before = (await registry.send(`${ASSETS}?limit=1000&opt_fields=*`)).json.data as Shown[];
      await indexedUpTo(before.at(-1)?.dateModified ?? '');
      const versions: Shown[] = [];
      const asked: Asked[] = [];
      const writing = Array.from({ length: WRITERS }, async () => {
        while (asked.length < count) await write(versions);
      });
      while (asked.length < count) asked.push(await ask(before));
      await Promise.all(writing);
      versions.sort(byInstant);
      for (const one of asked) judge(one, before, versions);
      return new Set(asked.map(({ found }) => found.indexed_up_to)).size;
    }

    it(
      'finds what a filter of all assets finds, as they were at the instant up to which it is indexed',
      async () => {
        let moments = 0;
        for (let left = queries; left > 0; left -= QUERIES_OF_A_ROUND)
          moments += await round(Math.min(left, QUERIES_OF_A_ROUND));
        expect(moments).toBeGreaterThan(queries / 10);
      },
      MAX_MS,
    );
  });
}

/**
 * Each asset as it may be found: as it was at the instant up to which it is indexed. The feed shows the last change of an asset alone. So one
 * that was changed again before the index had read all up to that instant may be in the index as it was earlier.
 * @param before the assets when the round began @param versions of what was changed in it, the oldest first
 */
function possible({ found, answeredMs }: Asked, before: readonly Shown[], versions: readonly Shown[]): Shown[][] {
  const states = new Map(before.map((asset) => [asset.id, [asset]]));
  const changedAgain = new Set<string>();
  for (const version of versions) {
    if (version.dateModified <= found.indexed_up_to)
      states.set(version.id, [version, ...(states.get(version.id) ?? [])]);
    else if (Date.parse(version.dateModified) <= answeredMs + AHEAD_MS) changedAgain.add(version.id);
  }
  return [...states].map(([id, all]) => (changedAgain.has(id) ? all : all.slice(0, 1)));
}

function judge(asked: Asked, before: readonly Shown[], versions: readonly Shown[]): void {
  const { filters, sort, found, sent } = asked;
  const fits = (asset: Shown): boolean => filters.every(({ matches }) => matches(asset));
  const hits = new Map(found.data.map((hit) => [hit.id, hit]));
  const expected = possible(asked, before, versions).flatMap((states) => {
    const hit = hits.get(states[0]?.id ?? '');
    const fitting = states.filter(fits);
    if (hit === undefined) return fitting.length === states.length ? fitting.slice(0, 1) : [];
    return fitting.filter(({ dateModified }) => dateModified === hit.dateModified).slice(0, 1);
  });
  const by = (asset: Shown): number => (sort.endsWith('value') ? asset.value.amount : 0);
  const data = expected.toSorted((a, b) => by(a) - by(b) || byInstant(a, b));
  expect({ sent, ...found }).toEqual({
    sent,
    next_page: expect.anything(),
    total: data.length,
    total_is_exact: true,
    indexed_up_to: found.indexed_up_to,
    data: sort.startsWith('-') ? data.toReversed() : data,
  });
}

/** Each instant is there once. */
function byInstant(a: Shown, b: Shown): number {
  return a.dateModified < b.dateModified ? -1 : 1;
}
