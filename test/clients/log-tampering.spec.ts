import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readLogPage } from '../../clients/typescript/src/log/log-page.js';
import { RowReader } from '../../clients/sync/src/asset-row.js';
import type { CopyState } from '../../clients/sync/src/copies/copy.js';
import { type LogRow, logRowOf } from '../../clients/sync/src/copies/log-row.js';
import { SqliteDatabase } from '../../clients/sync/src/copies/sqlite-database.js';
import { TableCopy } from '../../clients/sync/src/copies/table-copy.js';
import { newState } from '../../clients/sync/src/copying/new-state.js';
import { CopiedLogCheck } from '../../clients/sync/src/verifying/log/copied-log-check.js';
import { LogRefuted } from '../../clients/sync/src/verifying/log/refuted.js';
import { StatesCheck } from '../../clients/sync/src/verifying/log/states-check.js';
import type { JsonObject } from '../support/assets.js';
import { fakeAsset, fakeEpoch, FakeLog, type FakeState, kyiv } from '../support/fake-log.js';
import { Random } from '../support/random.js';
import { MemoryLogStore, verifyAgainst } from '../support/memory-log-store.js';

/** Three of each kind. */
const TRIALS = 66;
const SIZE = 300;
const ASSETS = 120;
const BEGIN_US = Date.UTC(2026, 10, 23, 10) * 1_000;

/** The finding: the first place in the message, and the message. */
interface Found {
  places: (number | null)[];
  why: string;
}

interface Trial {
  log: FakeLog;
  random: Random;
  /** Documents of the copy that are replaced; undefined takes the asset out of it. */
  copied: Map<string, JsonObject | undefined>;
}

/** Tampers with the log. @returns the places that must be named, and the expected message */
type Tampering = (trial: Trial) => { places: (number | null)[]; why: RegExp };

let folder: string;
let honest: FakeLog;
let seen: MemoryLogStore;
let newest: Map<string, { place: number; asset: JsonObject }>;
let state: CopyState;
let copy: TableCopy;

function changeState({ log, random }: Trial, change: (state: FakeState) => FakeState): number {
  const place = random.int(0, SIZE - 1);
  log.states[place] = change(log.states[place] as FakeState);
  return place;
}

function oneCopied({ random }: Trial): { id: string; place: number; asset: JsonObject } {
  const [id, { place, asset }] = random.pick([...newest]);
  return { id, place, asset };
}

function grow(log: FakeLog, count: number): void {
  for (let i = 0; i < count; i++) {
    const number = 1_000 + i;
    log.append(fakeAsset(number, BEGIN_US + (SIZE + i) * 1_000));
  }
}

const TAMPERINGS: Record<string, Tampering> = {
  'a changed entry': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.entries[place] = log.otherEntry(place);
    return { places: [place], why: /was changed: its hash in the log differs/ };
  },
  'a changed hash': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.leaves[place] = Buffer.alloc(32, place);
    return { places: [place], why: /was changed/ };
  },
  'a changed entry with its hash': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.replace(place);
    return {
      places: [place],
      why: /does not begin with the verified entries .*is not the signed one.* it was changed/,
    };
  },
  'a changed entry, signed again': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.replace(place);
    log.publish();
    return { places: [place], why: /both are signed.* it was changed/ };
  },
  'a changed entry in a log that has grown': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.replace(place);
    grow(log, random.int(1, 300));
    log.publish();
    return { places: [place], why: /it was changed/ };
  },
  'a deleted entry': ({ log, random }) => {
    const place = random.int(0, SIZE - 2);
    log.remove(place);
    log.publish();
    return { places: [place], why: /the entry at this place was deleted/ };
  },
  'an inserted entry': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.put(place, log.otherEntry(place), log.states[place] as FakeState);
    log.publish();
    return { places: [place], why: /it was inserted/ };
  },
  'two entries in another order': ({ log, random }) => {
    const first = random.int(0, SIZE - 2);
    const second = random.int(first + 1, SIZE - 1);
    for (const list of [log.entries, log.leaves, log.states] as unknown[][])
      [list[first], list[second]] = [list[second], list[first]];
    log.publish();
    return { places: [first], why: /entries were reordered/ };
  },
  'a log that was cut': ({ log, random }) => {
    const size = random.int(0, SIZE - 1);
    while (log.entries.length > size) log.remove(log.entries.length - 1);
    log.publish();
    return { places: [size], why: /The log was cut: it had 300 entries/ };
  },
  'a missing entry': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.gone.add(place);
    return { places: [place], why: /are missing or malformed: .*missing or different is the entry/ };
  },
  'a deletion that closes the gap': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.remove(place);
    const why = /is missing or different|is not the signed one.* the entry at this place was deleted/;
    return { places: [place], why };
  },
  'a changed hash of a full tile': ({ log, random }) => {
    // There are three full tiles then.
    grow(log, 3 * 256 + random.int(0, 255) - SIZE);
    log.publish();
    const place = random.int(0, 2);
    log.nodes.set(`1 ${place}`, Buffer.alloc(32, place));
    const first = place * 256;
    return {
      places: [first],
      why: new RegExp(`of level 1 .* at places ${first} to \\d+, is [\\w+/]+=*: the signed entries`),
    };
  },
  'another entry beside its state': ({ log, random }) => {
    const place = random.int(0, SIZE - 1);
    log.pageEntries.set(place, log.otherEntry(place));
    return { places: [place], why: /The page with the state does not have/ };
  },
  'a changed state': (trial) => {
    const place = changeState(trial, ({ opening, asset }) => ({ opening, asset: { ...asset, title: 'another' } }));
    return { places: [place], why: /not what the commitment binds/ };
  },
  'a state with another date': (trial) => {
    const place = changeState(trial, ({ opening, asset }) => ({ opening, asset: { ...asset, date: kyiv(1) } }));
    return { places: [place], why: /another date/ };
  },
  'a state that is missing': (trial) => {
    const place = changeState(trial, ({ opening }) => ({ opening, asset: null }));
    return { places: [place], why: /no longer has the state that the entry binds/ };
  },
  'the state of another entry': ({ log, random }) => {
    const place = random.int(1, SIZE - 1);
    log.states[place] = log.states[random.int(0, place - 1)] as FakeState;
    return { places: [place], why: /another id|another date/ };
  },
  'no opening': (trial) => {
    const place = changeState(trial, ({ asset }) => ({ asset, opening: null }));
    return { places: [place], why: /no valid opening/ };
  },
  'an asset that the registry lists otherwise': (trial) => {
    const { id, place, asset } = oneCopied(trial);
    trial.copied.set(id, { ...asset, title: 'listed' });
    return { places: [place], why: /the registry's listing do not match the entry/ };
  },
  'an asset that the registry does not list': (trial) => {
    const { id } = oneCopied(trial);
    trial.copied.set(id, undefined);
    const places = honest.entries.flatMap((entry, place) => (entry.includes(id) ? [place] : []));
    return { places, why: /no longer lists the asset/ };
  },
  'an older state that is listed': (trial) => {
    const changed = [...newest].filter(
      ([id, { place }]) => honest.entries.findIndex((one) => one.includes(id)) < place,
    );
    const [id, { place }] = trial.random.pick(changed);
    const first = honest.entries.findIndex((one) => one.includes(id));
    trial.copied.set(id, (honest.states[first] as FakeState).asset as JsonObject);
    const between = honest.entries.flatMap((one, at) => (one.includes(id) && at > first ? [at] : []));
    expect(between.at(-1)).toBe(place);
    return { places: between, why: /the registry shows an older state/ };
  },
  'an asset without an entry': ({ copied, random }) => {
    // Between two entries.
    const asset = fakeAsset(5_000, BEGIN_US + random.int(0, SIZE - 2) * 1_000 + 500);
    copied.set(asset.id, asset);
    return { places: [null], why: /the log has no entry of it/ };
  },
};

/** Runs a verification of a log and a copy. */
async function verify(
  { log, copied }: Pick<Trial, 'log' | 'copied'>,
  past: MemoryLogStore,
  catchUp = async (): Promise<void> => undefined,
): Promise<Found & { unbound?: number }> {
  try {
    const reader = new RowReader(state);
    if (copied.size > 0) await copy.remove([...copied.keys()], state);
    await copy.write(
      [...copied.values()].flatMap((asset) => (asset === undefined ? [] : [reader.read(JSON.stringify(asset))])),
      state,
    );
    const verified = await verifyAgainst(log.source, past);
    const copiedLog = new CopiedLogCheck(copy, state, true);
    const check = new StatesCheck(log.source, past, copy, state, reader, copiedLog, () => undefined);
    const { faults, unbound } = await check.run(verified?.size ?? 0, catchUp);
    return {
      places: faults.map(({ place }) => place),
      why: faults.map(({ why }) => why).join('; '),
      ...(unbound > 0 && { unbound }),
    };
  } catch (error) {
    if (!(error instanceof LogRefuted)) throw error;
    return { places: [error.place ?? null], why: error.message };
  } finally {
    await copy.remove([...copied.keys()], state);
    const before = [...copied.keys()].flatMap((id) => newest.get(id) ?? []);
    await copy.write(
      before.map(({ asset }) => new RowReader(state).read(JSON.stringify(asset))),
      state,
    );
  }
}

/** As a copy keeps a page of a log. */
function rowsOf(log: FakeLog, from: number): LogRow[] {
  return readLogPage(log.answer('assets', new URLSearchParams({ from: `${from}` })) as string).states.map(logRowOf);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'log-tampering-'));
  honest = new FakeLog();
  newest = new Map();
  const random = new Random(1);
  for (let place = 0; place < SIZE; place++) {
    const number = place < ASSETS ? place : random.int(0, ASSETS - 1);
    const asset = {
      ...fakeAsset(number, BEGIN_US),
      title: `Title ${place}`,
      dateModified: kyiv(BEGIN_US + place * 1_000),
    };
    honest.append(asset);
    newest.set(asset.id, { place, asset });
  }
  honest.publish();
  const plan = { url: 'http://r', fields: null, types: null, filter: null, log: true };
  state = { ...newState(plan, fakeEpoch(1)), logPlace: SIZE };
  copy = new TableCopy(SqliteDatabase.open(join(folder, 'copy.sqlite')), false);
  await copy.begin(state);
  await copy.write(
    [...newest.values()].map(({ asset }) => new RowReader(state).read(JSON.stringify(asset))),
    state,
  );
  await copy.writeLog(
    [0, 100, 200].flatMap((from) => rowsOf(honest, from)),
    state,
  );
  seen = new MemoryLogStore();
  await verify({ log: honest, copied: new Map() }, seen);
});
afterAll(async () => {
  await copy.close();
  rmSync(folder, { recursive: true });
});

describe('tampering', () => {
  it('is not found in a log that is sound, seen for the first time, again, and when it has grown', async () => {
    for (let i = 0; i < 2; i++)
      expect(await verify({ log: honest, copied: new Map() }, seen)).toEqual({ places: [], why: '' });
    expect(seen.stored).toMatchObject({ size: SIZE, keys: honest.identity.publicKeys });
    const grown = honest.clone();
    grow(grown, 300);
    grown.publish();
    const copied = new Map<string, JsonObject>();
    for (const { asset } of grown.states.slice(SIZE)) copied.set(asset?.['id'] as string, asset as JsonObject);
    expect(await verify({ log: grown, copied }, seen.clone())).toEqual({ places: [], why: '' });
  });

  it(`is found ${TRIALS} times of ${TRIALS}, and the entry named`, async () => {
    const kinds = Object.entries(TAMPERINGS);
    const missed: unknown[] = [];
    const found = new Map<string, number>();
    for (let seed = 1; seed <= TRIALS; seed++) {
      const [kind, tamper] = kinds[seed % kinds.length] as [string, Tampering];
      const trial = {
        log: honest.clone(),
        random: new Random(seed),
        copied: new Map<string, JsonObject | undefined>(),
      };
      const expected = tamper(trial);
      const { places, why } = await verify(trial, seen.clone());
      if (JSON.stringify(places) === JSON.stringify(expected.places) && expected.why.test(why))
        found.set(kind, (found.get(kind) ?? 0) + 1);
      else missed.push({ kind, seed, expected, places, why });
    }
    expect(missed).toEqual([]);
    expect(found.size).toBe(kinds.length);
  });

  it('is found at the first verification if the log is inconsistent, and located if possible', async () => {
    const changed = honest.clone();
    changed.leaves[17] = Buffer.alloc(32);
    changed.entries[17] = changed.otherEntry(17);
    expect((await verify({ log: changed, copied: new Map() }, new MemoryLogStore())).places).toEqual([17]);
    const both = honest.clone();
    both.replace(17);
    const { places, why } = await verify({ log: both, copied: new Map() }, new MemoryLogStore());
    expect([places, why]).toEqual([[null], 'The entries of the log are not those that its checkpoint was signed for']);
  });
});

describe('an entry of the year 2099', () => {
  it('needs no more memory for the copy than for any other, and reports the assets without an entry', async () => {
    const log = new FakeLog();
    log.append(fakeAsset(1, Date.UTC(2099, 0) * 1_000));
    const contents = jest.spyOn(copy, 'contents');
    const { places, why } = await verify({ log: log.publish(), copied: new Map() }, new MemoryLogStore());
    const counts = await Promise.all(
      contents.mock.results.map(async ({ value }) => ((await value) as unknown[]).length),
    );
    contents.mockRestore();
    expect(places.filter((place) => place === null)).toHaveLength(ASSETS);
    expect(why).toMatch(/the log has no entry of it.*the registry shows an older state/);
    expect(Math.max(...counts)).toBe(100);
  });
});

describe('no tampering', () => {
  it('a state that was damaged before its turn came is counted', async () => {
    const log = honest.clone();
    const [id, { place }] = [...newest][0] as [string, { place: number }];
    const was = log.states[place] as FakeState;
    const entry = JSON.stringify({ ...(JSON.parse(log.entries[place] as string) as JsonObject), commitment: null });
    log.remove(place);
    log.put(place, entry, { opening: null, asset: null });
    // The copy's log rows came from the same registry.
    const keep = (one: FakeLog): Promise<void> => copy.writeLog(rowsOf(one, place).slice(0, 1), state);
    await keep(log.publish());
    expect(await verify({ log, copied: new Map() }, new MemoryLogStore())).toMatchObject({ places: [], unbound: 1 });
    await keep(honest);
    expect(was.asset?.['id']).toBe(id);
  });

  it('an asset that changes during its check does not refute the registry', async () => {
    const [id, { asset }] = [...newest][5] as [string, { asset: JsonObject }];
    const copied = new Map([[id, { ...asset, title: 'not yet changed' }]]);
    const now = { ...asset, title: 'changed', dateModified: kyiv(BEGIN_US + SIZE * 1_000) };
    const catchUp = (): Promise<void> => copy.write([new RowReader(state).read(JSON.stringify(now))], state);
    expect(await verify({ log: honest, copied }, seen.clone(), catchUp)).toEqual({ places: [], why: '' });
  });
});
