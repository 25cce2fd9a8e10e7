import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { AppModule } from '../../src/app.module.js';
import { Database } from '../../src/database/database.js';
import { AssetSearch, type SearchPage, type SearchQuery } from '../../src/search/asset-search.js';
import { testConfig } from './registry.js';

/** The search of a service of its own, over a database that other services write to. */
export class TestSearch {
  private constructor(
    private readonly context: INestApplicationContext,
    readonly search: AssetSearch,
  ) {}

  /** @param path of the index, as SEARCH_INDEX takes it */
  static async start(databaseUrl: string, path: string, env: Record<string, string> = {}): Promise<TestSearch> {
    const config = testConfig(databaseUrl, { SEARCH_INDEX: path, ...env });
    const context = await NestFactory.createApplicationContext(AppModule.with(config), {
      logger: false,
      abortOnError: false,
    });
    await context.get(Database).open();
    return new TestSearch(context, context.get(AssetSearch));
  }

  /** As it is answered at once: on a machine that has much to do, the index may not be complete yet. */
  find(query: Partial<SearchQuery>): Promise<SearchPage> {
    const newest = { text: '', afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: true, limit: 100 };
    return this.search.find({ ...newest, ...query });
  }

  /** By an index that is complete. */
  async found(query: Partial<SearchQuery>): Promise<SearchPage> {
    for (;;) {
      const page = await this.find(query);
      if (page.isComplete) return page;
      if (!this.search.isOn) throw new Error('There is no search');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The same, the ids alone. */
  async ids(query: Partial<SearchQuery>): Promise<string[]> {
    return (await this.found(query)).hits.map(({ id }) => id);
  }

  stop(): Promise<void> {
    return this.context.close();
  }
}
