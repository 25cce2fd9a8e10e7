import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { TestBrowser, type Visit } from './browser.js';
import type { TestDatabaseKind } from './databases.js';
import { type Reply, type Send, type Sender, TestRegistry } from './registry.js';
import { isStillIndexed } from './shown-page.js';
import { until } from './until.js';

/** A registry with its search, and a browser to look at it with. */
export class Site implements Sender {
  private readonly visits: Visit[] = [];
  private window: Visit | undefined;

  private constructor(
    readonly registry: TestRegistry,
    private readonly browser: TestBrowser,
  ) {}

  /** @param env configuration beside the search */
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

  /** The HTML that a browser would be sent. */
  async html(path: string): Promise<string> {
    return (await this.send(path, { headers: { Accept: 'text/html' } })).text;
  }

  /** Resolves when whatever was published until now is in the index of the search, so that nobody who searches is before it. */
  indexed(): Promise<void> {
    return until(async () => !isStillIndexed(await this.html('/?q=nothing&lang=en')));
  }

  /** Opens a page, which has to be there, in the one window that is kept for a file: English, as browsers of tests are. */
  async open(path: string): Promise<Page> {
    this.window ??= await this.browser.visit(this.url);
    const status = await this.window.goTo(path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return this.window.page;
  }

  /** A visitor who has never been here. */
  async visit(options?: BrowserContextOptions): Promise<Visit> {
    const visit = await this.browser.visit(this.url, options);
    this.visits.push(visit);
    return visit;
  }

  /** Ends all visits. @returns what went wrong since the last time, in the window as well */
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
