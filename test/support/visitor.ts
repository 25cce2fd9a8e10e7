import { expect } from '@jest/globals';
import type { Download, Locator, Page } from 'playwright-core';
import type { Owned } from './assets.js';
import { click } from './browser.js';
import { runSql } from './rows.js';
import type { Site } from './site.js';

const DAY_US = 24 * 60 * 60 * 1_000_000;

/** A citizen who begins at `/`. Counts clicks on links, buttons and folded parts; typing, choosing and starting the search are free. */
export class Visitor {
  clicks = 0;

  constructor(
    readonly page: Page,
    private readonly searchButton = 'Search',
  ) {}

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await click(what);
  }

  follow(name: string): Promise<void> {
    return this.click(this.page.getByRole('link', { name }));
  }

  /** Follows a link to a file. */
  async save(name: string): Promise<Download> {
    const [file] = await Promise.all([this.page.waitForEvent('download'), this.follow(name)]);
    return file;
  }

  async find(words: string): Promise<void> {
    await this.page.getByRole('searchbox').fill(words);
    await this.search();
  }

  /** Finds the asset by its number and opens it. */
  async openAsset({ asset }: Owned): Promise<void> {
    await this.find(asset.assetID);
    await this.click(this.page.locator('#assets h2 a'));
  }

  search(): Promise<void> {
    return click(this.page.getByRole('button', { name: this.searchButton }));
  }

  fill(label: string, text: string): Promise<void> {
    return this.page.getByLabel(label).fill(text);
  }

  async choose(label: string, choice: string): Promise<void> {
    await this.page.getByLabel(label).selectOption({ label: choice });
  }

  found(): Promise<string[]> {
    return this.page.locator('#assets h2').allInnerTexts();
  }

  hits(): Promise<string> {
    return this.page.locator('#hits').innerText();
  }

  /** The text of an element, with single plain spaces. */
  async textOf(selector: string): Promise<string> {
    return (await this.page.locator(selector).innerText()).replaceAll(/\s+/g, ' ').trim();
  }

  /** Rows of a table of the statistics. */
  async rowsOf(table: string | RegExp): Promise<string[]> {
    const rows = await this.page.getByRole('table', { name: table }).getByRole('row').allInnerTexts();
    return rows.map((row) => row.replaceAll(/\s+/g, ' ').trim());
  }

  expectClicks(most: number): void {
    expect(this.clicks).toBeLessThanOrEqual(most);
  }
}

/** Moves everything that has happened so far into the past. */
export async function moveBack(site: Site, days: number): Promise<void> {
  await site.indexed();
  const us = days * DAY_US;
  const earlier = (...columns: string[]): string => columns.map((one) => `${one} = ${one} - ${us}`).join(', ');
  await runSql(site.registry, `UPDATE revision SET ${earlier('modified_us', 'until_us')}`);
  await runSql(site.registry, `UPDATE asset SET ${earlier('created_us', 'modified_us', 'feed_us')}`);
  // The index no longer finds its place in the feed, so it is built again.
  await site.indexed();
}

/** The day in Kyiv as dates are typed, such as `2026-11-29`. */
export function dayBefore(days: number): string {
  return new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Kyiv' }).format(Date.now() - (days * DAY_US) / 1_000);
}
