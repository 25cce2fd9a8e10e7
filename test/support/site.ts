import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { TestBrowser, type Visit } from './browser.js';
import type { TestDatabaseKind } from './databases.js';
import { type Reply, type Send, type Sender, TestRegistry } from './registry.js';
import { isIndexIncomplete } from './shown-page.js';
import { until } from './until.js';

/** A registry with its search, and a browser. */
export class Site implements Sender {
  private readonly visits: Visit[] = [];
  private window: Visit | undefined;

  private constructor(
    readonly registry: TestRegistry,
    private readonly browser: TestBrowser,
  ) {}

  /** @param env configuration in addition to the search */
  static async start(kind: TestDatabaseKind, env: Record<string, string> = {}): Promise<Site> {
    const index = join(process.env.TEST_FOLDER as string, `search-${randomBytes(8).toString('hex')}.sqlite`);
    const registry = await TestRegistry.start(kind, { SEARCH_INDEX: index, ...env });
    return new Site(registry, await TestBrowser.start());
  }

  get url(): string {
    return this.registry.url;
  }

  send(path: string, options?: Send): Promise<Reply> {
    return this.registry.send(path, options);
  }

  /** The HTML of a page, as sent to browsers. */
  async html(path: string): Promise<string> {
    return (await this.send(path, { headers: { Accept: 'text/html' } })).text;
  }

  /** Resolves when the search index has all assets published so far. */
  indexed(): Promise<void> {
    return until(async () => !isIndexIncomplete(await this.html('/?q=nothing&lang=en')));
  }

  /** Opens a page, which must exist, in the test file's single window, in English. */
  async open(path: string): Promise<Page> {
    this.window ??= await this.browser.visit(this.url);
    const status = await this.window.goTo(path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return this.window.page;
  }

  /** Opens a new browser context. */
  async visit(options?: BrowserContextOptions): Promise<Visit> {
    const visit = await this.browser.visit(this.url, options);
    this.visits.push(visit);
    return visit;
  }

  /** Ends all visits. @returns the faults since the last call, including the window's */
  async leave(): Promise<string[]> {
    const ended = this.visits.splice(0);
    for (const visit of ended) await visit.end();
    return [...ended.flatMap(({ faults }) => faults), ...(this.window?.faults.splice(0) ?? [])];
  }

  async stop(): Promise<void> {
    await this.browser.stop();
    await this.registry.stop();
  }
}
