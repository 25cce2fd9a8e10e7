import {
  appendFileSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import type { AssetRow } from '../asset-row.js';
import { newState } from '../copying/new-state.js';
import type { Copy, CopyState } from './copy.js';
import { JsonlCopy } from './jsonl-copy.js';
import { openCopy, openCopyToRead } from './open-copy.js';
import { SqliteDatabase } from './sqlite-database.js';
import { TableCopy } from './table-copy.js';

const plan = { url: 'http://r', fields: null, types: null, filter: null, log: false };
const state = (epoch = 'e'): CopyState => newState(plan, epoch);

function row(id: string, feedUs: number): AssetRow {
  const dateModified = `1970-01-01T00:00:00.${String(feedUs).padStart(6, '0')}+00:00`;
  const document = JSON.stringify({ id, dateModified });
  return {
    id,
    assetId: id,
    assetType: 'basic',
    status: 's',
    dateModified,
    feedUs,
    relatedLot: null,
    owner: 'o',
    document,
  };
}

const LOGGED = {
  place: 0,
  id: 'a',
  dateModified: '1970-01-01T00:00:00.000001Z',
  entry: '{}',
  opening: null,
  document: '{}',
};

const SqliteCopy = {
  open: (file: string, isResync: boolean): Copy => new TableCopy(SqliteDatabase.open(file), isResync),
  openToRead: (file: string, isResync: boolean): Copy => new TableCopy(SqliteDatabase.openToRead(file), isResync),
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'registry-sync-'));
  path = join(folder, 'copy');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each([
  { name: 'SQLite', kind: SqliteCopy },
  { name: 'JSON lines', kind: JsonlCopy },
])('a copy in $name', ({ kind }) => {
  /** Opens the copy, runs `work`, and closes it. */
  async function within<T>(isResync: boolean, work: (copy: Copy) => Promise<T>): Promise<T> {
    const copy = kind.open(path, isResync);
    try {
      return await work(copy);
    } finally {
      await copy.close();
    }
  }
  const ids = (copy: Copy): Promise<string[]> =>
    (async () => {
      const all = [];
      for await (const entries of copy.entries({ afterUs: -1, upToUs: 100 })) all.push(...entries.map(({ id }) => id));
      return all;
    })();

  it('does not count as locked if links form a cycle', () => {
    symlinkSync('copy', join(folder, 'back'));
    symlinkSync('back', path);
    expect(() => kind.open(path, false)).not.toThrow('Another registry-sync');
  });

  it('finds the positions of more assets than SQLite has parameters', async () => {
    const found = await within(false, async (copy) => {
      await copy.begin(state());
      await copy.write([row('a', 1), row('b', 2)], state());
      return copy.feedUsByIds(['a', ...Array.from({ length: 40_000 }, (_, i) => `gone-${i}`), 'b']);
    });
    expect([...found]).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
  });

  it('is locked by its file, through any link', async () => {
    const [link, linkToLink] = [join(folder, 'link'), join(folder, 'link to link')];
    symlinkSync('copy', link);
    symlinkSync(link, linkToLink);
    // First without a file, then with one.
    for (let i = 0; i < 2; i++) {
      const copy = kind.open(linkToLink, false);
      for (const other of [path, link])
        expect(() => kind.open(other, false)).toThrow('Another registry-sync is writing to');
      await copy.begin(state());
      await copy.close();
    }
  });

  it('is refused if its file has a second name', async () => {
    const copy = kind.open(path, false);
    await copy.begin(state());
    const other = join(folder, 'other');
    linkSync(path, other);
    // First while a runner writes, then without one.
    const refused = () => expect(() => kind.open(other, false)).toThrow(`${other} has 2 names (hard links)`);
    refused();
    await copy.close();
    refused();
    rmSync(other);
    await kind.open(path, false).close();
  });

  it('is read only by its runner’s name, in SQLite while that runs', async () => {
    const begun = state();
    const copy = kind.open(path, false);
    await copy.begin(begun);
    const other = join(folder, 'other');
    linkSync(path, other);
    const seenBy = async (name: string): Promise<CopyState | undefined> => {
      const reader = kind.openToRead(name, false);
      try {
        return await reader.readState();
      } finally {
        await reader.close();
      }
    };
    expect(await seenBy(path)).toEqual(begun);
    // It has no WAL and no position file.
    if (kind === SqliteCopy) await expect(seenBy(other)).rejects.toThrow(`${other} has 2 names (hard links)`);
    else expect(await seenBy(other)).toBeUndefined();
    await copy.close();
    // Which name the runner used is no longer known.
    if (kind === SqliteCopy) await expect(seenBy(path)).rejects.toThrow('copy the file, or remove the other names');
    else expect(await seenBy(path)).toEqual(begun);
  });

  it('of an earlier version is read and continued', async () => {
    const begun = state();
    await within(false, (copy) => copy.begin(begun));
    if (kind === SqliteCopy) new Sqlite(path).exec('ALTER TABLE sync_state DROP COLUMN follows').close();
    else {
      const { follows: _, ...earlier } = JSON.parse(readFileSync(`${path}.position.json`, 'utf8')) as CopyState;
      writeFileSync(`${path}.position.json`, JSON.stringify(earlier));
    }
    const reader = kind.openToRead(path, false);
    expect(await reader.readState()).toEqual(begun);
    await reader.close();
    await within(false, async (copy) => {
      await copy.write([], { ...((await copy.readState()) as CopyState), follows: 'live' });
      expect(await copy.readState()).toMatchObject({ follows: 'live' });
    });
  });

  it('replaces the old one when it is complete, and not before', async () => {
    await within(false, async (copy) => {
      await copy.begin(state('old'));
      await copy.write([row('a', 1)], state('old'));
      await copy.finish({ ...state('old'), wholeAt: 'then' });
    });
    await within(true, async (copy) => {
      expect(await copy.readState()).toBeUndefined();
      await copy.begin(state('new'));
      await copy.write([row('b', 2)], state('new'));
    });
    await within(false, async (copy) => {
      expect(await copy.readState()).toMatchObject({ epoch: 'old' });
      expect(await ids(copy)).toEqual(['a']);
    });
    await within(true, async (copy) => {
      expect(await copy.readState()).toMatchObject({ epoch: 'new' });
      await copy.finish({ ...state('new'), wholeAt: 'now' });
      await copy.write([row('c', 3)], { ...state('new'), wholeAt: 'now' });
    });
    await within(false, async (copy) => {
      expect(await copy.readState()).toMatchObject({ epoch: 'new', wholeAt: 'now' });
      expect(await ids(copy)).toEqual(['b', 'c']);
    });
  });

  it('of a newer version is refused', async () => {
    await within(false, async (copy) => {
      await copy.begin({ ...state(), schemaVersion: 3, writtenBy: '9.9.9' });
      await expect(copy.readState()).rejects.toThrow(
        'schema version 3, written by registry-sync 9.9.9; this one knows 2',
      );
    });
  });
});

describe('a copy in JSON lines', () => {
  const begin = async (): Promise<void> => {
    const copy = JsonlCopy.open(path, false);
    await copy.begin(state());
    await copy.write([row('a', 1)], { ...state(), position: 'one' });
    await copy.close();
  };

  it('truncates lines written without their position', async () => {
    await begin();
    const before = readFileSync(path, 'utf8');
    appendFileSync(path, '{"id":"b","dateMod');
    const copy = JsonlCopy.open(path, false);
    expect(await copy.readState()).toMatchObject({ position: 'one' });
    expect(readFileSync(path, 'utf8')).toBe(before);
    await copy.close();
  });

  it('with missing lines is damaged; without a position it is refused as foreign', async () => {
    await begin();
    truncateSync(path, 5);
    const copy = JsonlCopy.open(path, false);
    await expect(copy.readState()).rejects.toThrow(/is damaged: it has 5 bytes and had \d+/);
    rmSync(`${path}.position.json`);
    await expect(copy.readState()).rejects.toThrow('contains data that is not of a copy');
    await copy.close();
  });

  // Links one file to a full device. Not the lines themselves, because a copy is locked at the target of a link.
  it.each(['resync', 'resync.position.json.next', 'log.jsonl'])('says that .%s cannot be written', async (name) => {
    symlinkSync('/dev/full', `${path}.${name}`);
    const copy = JsonlCopy.open(path, true);
    const fill = async (): Promise<void> => {
      await copy.begin(state());
      await copy.write([row('a', 1)], state());
      await copy.writeLog([LOGGED], { ...state(), logPlace: 1 });
    };
    await expect(fill()).rejects.toThrow(`${path}.${name} cannot be written: ENOSPC: no space left on device`);
    await copy.close();
  });

  it.each([
    { what: 'before the lines were moved', moved: false },
    { what: 'after the lines were moved', moved: true },
  ])('completes a swap that was interrupted $what', async ({ moved }) => {
    await begin();
    const newCopy = JsonlCopy.open(path, true);
    await newCopy.readState();
    await newCopy.begin(state('new'));
    await newCopy.write([row('b', 2)], state('new'));
    await newCopy.close();
    const kept = JSON.parse(readFileSync(`${path}.resync.position.json`, 'utf8')) as object;
    writeFileSync(`${path}.position.json`, JSON.stringify({ ...kept, takesPlace: true }));
    if (moved) renameSync(`${path}.resync`, path);
    const copy = JsonlCopy.open(path, false);
    expect(await copy.readState()).toMatchObject({ epoch: 'new' });
    expect(await copy.findEntry('b')).toMatchObject({ feedUs: 2 });
    expect([existsSync(`${path}.resync`), existsSync(`${path}.resync.position.json`)]).toEqual([false, false]);
    await copy.close();
  });
});

describe('a copy in JSON lines', () => {
  const PRETTY = '{\r\n  "id": "a",\n  "dateModified": "1970-01-01T00:00:00.000001+00:00"\n}';

  it('has one line per version, regardless of line breaks in the registry’s JSON', async () => {
    const copy = JsonlCopy.open(path, false);
    await copy.begin(state());
    const pretty = { ...row('a', 1), document: PRETTY };
    await copy.write([pretty], state());
    const [line = '', ...others] = readFileSync(path, 'utf8').split('\n');
    expect([JSON.parse(line), others]).toEqual([JSON.parse(PRETTY), ['']]);
    expect((await copy.contents({ afterUs: 0, upToUs: 1 })).map(({ content }) => content())).toEqual([
      copy.contentOf(pretty),
    ]);
    await copy.close();
  });

  it('reads a log whose texts contain other line separators', async () => {
    const entry = `{"id":"${'a'.repeat(32)}","date":"1970-01-01T00:00:00.000001Z","dateModified":"1970-01-01T00:00:00.000001Z","commitment":null}`;
    const logged = { id: 'a'.repeat(32), dateModified: '1970-01-01T00:00:00.000001Z', entry, opening: null };
    const rows = ['\u2028', '\u2029', '\u0085'].map((title, place) => ({ place, ...logged, document: JSON.stringify({ title }) })); // prettier-ignore
    const writer = JsonlCopy.open(path, false);
    await writer.begin(state());
    await writer.writeLog(rows, { ...state(), logPlace: rows.length });
    await writer.close();
    const reader = JsonlCopy.openToRead(path, false);
    await reader.readState();
    expect(await reader.logRows(0, rows.length)).toEqual(rows);
    expect(await reader.logPlaces(logged.id)).toEqual([0, 1, 2]);
    await reader.close();
  });

  it('does not touch the log file of another program', async () => {
    const log = `${path}.log.jsonl`;
    writeFileSync(log, 'a log of something else\n');
    expect(() => JsonlCopy.open(path, false)).toThrow(`${log} contains data that is not of a copy`);
    expect(readFileSync(log, 'utf8')).toBe('a log of something else\n');
    for (const torn of ['', '{"pl', '{"place":0,"entry"']) {
      writeFileSync(log, torn);
      await JsonlCopy.open(path, false).close();
    }
  });

  it('is locked after a resync has replaced a link to it', async () => {
    symlinkSync('copy', join(folder, 'link'));
    const copy = JsonlCopy.open(join(folder, 'link'), true);
    await copy.begin(state());
    await copy.finish(state());
    expect(() => JsonlCopy.open(join(folder, 'link'), false)).toThrow('Another registry-sync is writing to');
    await copy.close();
  });

  it('does not touch a foreign file with the name of its next position', async () => {
    const next = `${path}.position.json.next`;
    for (const foreign of ['what is next\n', '{"next":1}']) {
      writeFileSync(next, foreign);
      expect(() => JsonlCopy.open(path, false)).toThrow(`${next} contains data that is not of a copy`);
      expect(readFileSync(next, 'utf8')).toBe(foreign);
    }
    rmSync(next);
    writeFileSync(`${path}.resync.position.json.next`, 'of mine');
    expect(() => JsonlCopy.open(path, true)).toThrow('.resync.position.json.next contains data');
    rmSync(`${path}.resync.position.json.next`);
    for (const torn of ['', '\0\0\0', '{"schema', '{"schemaVersion":1,"wr']) {
      writeFileSync(next, torn);
      const copy = JsonlCopy.open(path, false);
      await copy.begin(state());
      await copy.close();
      expect(existsSync(next)).toBe(false);
    }
  });

  it.each(['null', '{"schemaVersion":1}', '{"schemaVersion":1,"bytes":-1,"epoch":"e","position":""}'])(
    'leaves a file whose position is %s',
    async (position) => {
      writeFileSync(path, 'a line of something else\n');
      writeFileSync(`${path}.position.json`, position);
      const message = `${path}.position.json is not of a copy`;
      expect(() => JsonlCopy.open(path, false)).toThrow(message);
      await expect(JsonlCopy.openToRead(path, false).readState()).rejects.toThrow(message);
      expect(readFileSync(path, 'utf8')).toBe('a line of something else\n');
    },
  );
});

describe('a copy in SQLite', () => {
  const within = async (work: (copy: Copy) => Promise<void>): Promise<void> => {
    const copy = SqliteCopy.open(path, false);
    await work(copy);
    await copy.close();
  };

  it.each(['Asset', 'SYNC_STATE', 'asset_Resync', 'Asset_Log'])(
    'leaves a table %s, which is the same to SQLite however it is written',
    (table) => {
      const database = new Sqlite(path);
      database.exec(`CREATE TABLE ${table} (tag TEXT); INSERT INTO ${table} VALUES ('laptop')`);
      expect(() => SqliteCopy.open(path, false)).toThrow('that is not of a copy. Nothing was changed');
      expect(() => SqliteCopy.openToRead(path, false)).toThrow('that is not of a copy');
      expect(database.prepare(`SELECT tag FROM ${table}`).pluck().all()).toEqual(['laptop']);
      database.close();
    },
  );

  it('is not made in a file with foreign tables only, such as a search index', () => {
    const database = new Sqlite(path);
    database.exec(`CREATE TABLE hit (title TEXT); INSERT INTO hit VALUES ('laptop')`);
    database.close();
    const before = readFileSync(path);
    const message = `${path} has a table "hit" that is not of a copy. Nothing was changed`;
    expect(() => SqliteCopy.open(path, false)).toThrow(message);
    expect(() => SqliteCopy.open(path, true)).toThrow(message);
    expect(() => SqliteCopy.openToRead(path, false)).toThrow(message);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('prepares few statements, however many ids are read or removed', async () => {
    const copy = SqliteCopy.open(path, false);
    try {
      await copy.begin(state());
      const prepare = jest.spyOn(Sqlite.prototype, 'prepare');
      for (let length = 0; length < 200; length++) {
        const some = Array.from({ length }, (_, i) => `gone-${i}`);
        expect(await copy.feedUsByIds(some)).toEqual(new Map());
        await copy.remove(some, state());
      }
      expect(prepare.mock.calls.length).toBeLessThan(15);
      prepare.mockRestore();
    } finally {
      await copy.close();
    }
  });

  it('may share its file with foreign tables', async () => {
    await within(async (copy) => copy.begin(state()));
    const database = new Sqlite(path);
    database.exec('CREATE TABLE notes (text)');
    database.close();
    await within(async (copy) => expect(await copy.readState()).toMatchObject({ epoch: 'e' }));
  });

  it('can be read and begun again if the run was killed while it created the file', async () => {
    const killed = new Sqlite(`${path}.killed`);
    killed.exec('PRAGMA cache_size = 1; BEGIN; CREATE TABLE half (a)');
    for (let i = 0; i < 100; i++) killed.prepare('INSERT INTO half VALUES (zeroblob(4000))').run();
    for (const end of ['', '-journal']) copyFileSync(`${path}.killed${end}`, path + end);
    killed.close();
    const seen = SqliteCopy.openToRead(path, false);
    expect(await seen.readState()).toBeUndefined();
    await seen.close();
    const copy = SqliteCopy.open(path, false);
    await copy.begin(state());
    await copy.close();
  });

  it('reports that it cannot be written', async () => {
    const tables = SqliteDatabase.open(path);
    const copy = new TableCopy(tables, false);
    tables['database'].pragma('max_page_count = 1');
    await expect(copy.begin(state())).rejects.toThrow(`${path} cannot be written: database or disk is full`);
    await copy.close();
  });

  it('has no byte of an overwritten state', async () => {
    const logged = { dateModified: '1970-01-01T00:00:00.000001Z', entry: '{}', opening: null };
    const rows = Array.from({ length: 300 }, (_, place) => ({ place, id: 'a', ...logged, document: `${'kanareika '.repeat(40)}${place}` })); // prettier-ignore
    const copy = SqliteCopy.open(path, false);
    await copy.begin(state());
    await copy.write([{ ...row('a', 1), document: 'kanareika' }], state());
    await copy.writeLog(rows, { ...state(), logPlace: rows.length });
    await copy.close();
    expect(readFileSync(path, 'latin1')).toContain('kanareika');
    const next = SqliteCopy.open(path, false);
    await next.write([row('a', 2)], state());
    const others = rows.map((one) => ({ ...one, document: '{}' }));
    await next.writeLog(others, { ...state(), logPlace: rows.length });
    await next.close();
    expect(readFileSync(path, 'latin1').includes('kanareika')).toBe(false);
  });

  it('has the documented indexes, once it is complete', async () => {
    const copy = SqliteCopy.open(path, false);
    await copy.begin(state());
    await copy.finish(state());
    await copy.close();
    const database = new Sqlite(path);
    const names = database
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`)
      .pluck()
      .all();
    database.close();
    expect(names).toEqual(['asset_asset_id', 'asset_feed_us', 'asset_related_lot', 'asset_status']);
  });
});

it('a file that is not a copy is named in the error, and not changed', async () => {
  const other = mkdtempSync(join(tmpdir(), 'no-copy-'));
  const text = join(other, 'text.db');
  writeFileSync(text, 'a line of text, and by no means a database');
  const message = `${text} cannot be opened: file is not a database`;
  await expect(openCopy({ kind: 'sqlite', path: text }, false)).rejects.toThrow(message);
  await expect(openCopyToRead({ kind: 'sqlite', path: text })).rejects.toThrow(message);
  expect(readFileSync(text, 'utf8')).toMatch(/^a line of text/);
  rmSync(other, { recursive: true });
});

it.each(['sqlite', 'jsonl'] as const)('a %s copy in a folder that cannot be made is refused', async (kind) => {
  // Node.js loops forever making folders there.
  const nowhere = '/proc/none/below/copy';
  await expect(openCopy({ kind, path: nowhere }, false)).rejects.toThrow(`${nowhere} cannot be opened: E`);
});
