import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  FoundPage,
  AtPosition,
  QueryTotals,
  ReaderRequest,
  Totals,
} from '../../src/database/search/index-answers.js';
import type { IndexPageQuery, IndexQuery } from '../../src/database/search/index-query.js';
import { IndexThread } from '../../src/database/search/index-thread.js';
import type { WriterRequest } from '../../src/database/search/index-writer.js';
import type { IndexedAsset, IndexPosition } from '../../src/database/search/indexed-asset.js';

/** A query that matches everything. */
export const ANY: IndexQuery = {
  words: undefined,
  choices: [],
  facets: undefined,
  amounts: undefined,
  afterUs: -1,
  beforeUs: Number.MAX_SAFE_INTEGER,
};

const NEWEST: IndexPageQuery = {
  isByValue: false,
  isDescending: true,
  after: undefined,
  limit: 10,
  withFacets: false,
};

/** An index in a temporary folder, with its writer thread and one reader thread. */
export class TestIndex {
  readonly folder = mkdtempSync(join(tmpdir(), 'search-index-'));
  readonly path = join(this.folder, 'index.sqlite');
  writer = this.startWriter();
  reader = this.startReader();

  startWriter(version = 'one'): IndexThread<WriterRequest> {
    return new IndexThread('index-writer', { path: this.path, version });
  }

  startReader(): IndexThread<ReaderRequest> {
    return new IndexThread('index-reader', { path: this.path, version: 'one' });
  }

  position(): Promise<IndexPosition> {
    return this.writer.ask('position');
  }

  /** Empties it and begins the history `epoch`. */
  async begin(epoch = 'epoch'): Promise<void> {
    await this.writer.ask({ empty: { from: await this.position(), epoch } });
  }

  /** Adds assets newer than all in the index. @param fromUs of an index that is incomplete */
  async add(assets: readonly IndexedAsset[], fromUs?: number): Promise<boolean> {
    const from = await this.position();
    const us = assets.at(-1)?.modifiedUs ?? from.us;
    return this.writer.ask({ add: { from, to: { ...from, us, fromUs: fromUs ?? from.fromUs }, assets } });
  }

  /** Adds assets older than all in the index. @param fromUs -1 if the index is then complete */
  async addOlder(assets: readonly IndexedAsset[], fromUs: number): Promise<boolean> {
    const from = await this.position();
    return this.writer.ask({ add: { from, to: { ...from, fromUs }, assets } });
  }

  async find(query: Partial<IndexQuery>, page: Partial<IndexPageQuery> = {}): Promise<FoundPage> {
    const asked = { find: { ...ANY, ...query }, page: { ...NEWEST, ...page } };
    return (await this.reader.ask<AtPosition<FoundPage>>(asked)).value;
  }

  /** The numeric ids of the hits. */
  async ids(query: Partial<IndexQuery>, page: Partial<IndexPageQuery> = {}): Promise<number[]> {
    return (await this.find(query, page)).hits.map(({ id }) => Number.parseInt(id, 16));
  }

  async totals(): Promise<Totals> {
    return (await this.reader.ask<AtPosition<Totals>>('totals')).value;
  }

  async count(query: Partial<IndexQuery>): Promise<QueryTotals> {
    return (await this.reader.ask<AtPosition<QueryTotals>>({ count: { ...ANY, ...query } })).value;
  }

  async end(): Promise<void> {
    await this.reader.end();
    await this.writer.end();
    rmSync(this.folder, { recursive: true });
  }
}
