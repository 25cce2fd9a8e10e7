import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { TestBrowser, type Visit } from '../../support/browser.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { servedRegistry } from '../../support/served-registry.js';

const [sqlite] = databases as [TestDatabaseKind];

describe('/docs in a browser', () => {
  const registry = servedRegistry(sqlite);
  let browser: TestBrowser;
  /** Shared by all tests, because the page takes seconds to render. */
  let visit: Visit;
  /** The block of POST /assets, open. */
  let create: Locator;

  beforeAll(async () => {
    browser = await TestBrowser.start();
    visit = await browser.visit(registry.url, { viewport: { width: 1280, height: 800 } });
    expect(await visit.goTo('/docs/')).toBe(200);
    create = visit.page.locator('.opblock-post').first();
    await create.locator('.opblock-summary-control').click();
    await create.locator('.responses-table .response').first().waitFor();
  });
  afterAll(() => browser?.stop());

  it('shows the operations, without an error and without a request to elsewhere', async () => {
    await visit.page.locator('[data-path="/assets/{id}"]').first().waitFor();
    expect(visit.asked).toContain('/api/0.1/openapi.json');
    expect(visit.faults).toEqual([]);
  });

  it('has a block for each method that people use, with one answer for all errors', async () => {
    expect(await visit.page.locator('.opblock-head, .opblock-options').count()).toBe(0);
    const statuses = create.locator('.responses-table > tbody > .response > .response-col_status');
    expect((await statuses.allTextContents()).map((text) => /^\w+/.exec(text)?.[0])).toEqual(['200', '201', 'default']);
    expect(await create.locator('.responses-table').textContent()).toContain('401, ');
    const { height } = (await create.boundingBox()) as { height: number };
    expect(height).toBeLessThan(4_000);
    expect(visit.faults).toEqual([]);
  });

  it('tries a request', async () => {
    const spore = visit.page.locator('.opblock-get', { has: visit.page.locator('[data-path="/spore"]') });
    await spore.locator('.opblock-summary-control').click();
    await spore.getByRole('button', { name: 'Try it out' }).click();
    await spore.getByRole('button', { name: 'Execute' }).click();
    await spore.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('shows the 401 of a request without a key', async () => {
    await create.getByRole('button', { name: 'Try it out' }).click();
    await create.getByRole('button', { name: 'Execute' }).click();
    const shown = create.locator('.live-responses-table .response').first();
    await shown.locator('.response-col_status', { hasText: '401' }).waitFor();
    expect(await shown.textContent()).toContain('A valid API key is required');
    expect(await create.locator('.curl-command').textContent()).not.toContain('X-Requested-With');
  });
});
