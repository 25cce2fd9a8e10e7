import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { Database } from '../../src/database/database.js';
import type { IndexPageQuery } from '../../src/database/search/index-query.js';
import { AssetSearch, type SearchPage } from '../../src/search/asset-search.js';
import { EVERYTHING, type SearchQuery } from '../../src/search/search-query.js';
import { testConfig } from './registry.js';
import { stalledSince } from './server-stalls.js';

const PAUSE_MS = 200;

/** A query; by default for the newest 100. */
type Asked = Partial<Omit<SearchQuery, ListName> & IndexPageQuery> & { newestFirst?: boolean } & {
  [Name in ListName]?: string | readonly string[];
};

type ListName = 'status' | 'assetType' | 'region' | 'custodian';

/** A separate instance of the search, on a database that other services write to. */
export class TestSearch {
  private constructor(
    private readonly context: INestApplicationContext,
    readonly search: AssetSearch,
  ) {}

  /** @param path of the index, as in SEARCH_INDEX */
  static async start(databaseUrl: string, path: string): Promise<TestSearch> {
    const config = testConfig(databaseUrl, { SEARCH_INDEX: path });
    const context = await NestFactory.createApplicationContext(AppModule.with(config), {
      logger: false,
      abortOnError: false,
    });
    await context.get(Database).open();
    return new TestSearch(context, context.get(AssetSearch));
  }

  /** Answers at once: on a busy machine the index may be incomplete. */
  async find(query: Asked): Promise<SearchPage | undefined> {
    const { newestFirst = true, limit = 100, withFacets = false, isByValue = false, after, ...chosen } = query;
    const page = { isDescending: newestFirst, limit, withFacets, isByValue, after };
    const [status, assetType, region, custodian] = [
      chosen.status,
      chosen.assetType,
      chosen.region,
      chosen.custodian,
    ].map((value) => [value ?? []].flat()) as [string[], string[], string[], string[]];
    const wanted = { ...EVERYTHING, ...chosen, status, assetType, region, custodian };
    for (;;) {
      const askedMs = performance.now();
      // Lets messages of the index threads be processed before the next attempt.
      await new Promise((resolve) => setImmediate(resolve));
      try {
        return await this.search.find(wanted, page);
      } catch (error) {
        // The database stalls, as it may on a busy machine.
        if (!stalledSince(askedMs)) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }

  /** Waits until the index is complete. */
  async found(query: Asked): Promise<SearchPage> {
    for (;;) {
      const page = await this.find(query);
      if (page?.isComplete === true) return page;
      if (!this.search.isOn) throw new Error('There is no search');
    }
  }

  /** The same, as ids. */
  async ids(query: Asked): Promise<string[]> {
    return (await this.found(query)).hits.map(({ id }) => id);
  }

  stop(): Promise<void> {
    return this.context.close();
  }
}
