import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions } from 'playwright-core';
import { ASSETS } from './assets.js';
import type { TestBrowser } from './browser.js';

/** A screenshot of a page. */
export interface Shot {
  /** File name without `.png`. */
  name: string;
  path: string;
  options?: BrowserContextOptions;
  /** The full page instead of the viewport. */
  whole?: boolean;
}

/**
 * Takes a screenshot of each page.
 * @param url of a service
 * @param folder is created if missing
 * @returns the faults of the pages
 */
export async function takeShots(
  browser: TestBrowser,
  url: string,
  shots: readonly Shot[],
  folder: string,
): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const faults: string[] = [];
  for (const { name, path, options, whole = false } of shots) {
    const visit = await browser.visit(url, options);
    await visit.goTo(path);
    await visit.page.screenshot({ path: join(folder, `${name}.png`), fullPage: whole });
    faults.push(...visit.faults);
    await visit.end();
  }
  return faults;
}

/** @returns bytes */
export function sizeOf(folder: string, { name }: Shot): number {
  return statSync(join(folder, `${name}.png`)).size;
}

interface Listed {
  id: string;
  assetID: string;
  status: string;
  assetType: string;
}

/** The path of the page of the newest changed asset with this status. */
export async function pathOfNewest(url: string, status: string, assetType = 'basic'): Promise<string> {
  const answer = await fetch(`${url}${ASSETS}?descending=1&limit=1000&opt_fields=assetID,status,assetType`);
  const { data } = (await answer.json()) as { data: Listed[] };
  const found = data.find((one) => one.status === status && one.assetType === assetType);
  if (found === undefined) throw new Error(`There is no ${status} ${assetType}`);
  return `/assets/${found.assetID}`;
}
