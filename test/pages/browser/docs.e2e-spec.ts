import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestBrowser } from '../../support/browser.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { TestRegistry } from '../../support/registry.js';

const [sqlite] = databases as [TestDatabaseKind];

describe('/docs in a browser', () => {
  let registry: TestRegistry;
  let browser: TestBrowser;

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite);
    browser = await TestBrowser.start();
  });
  afterAll(async () => {
    await browser?.stop();
    await registry?.stop();
  });

  it('shows the operations, without an error and without a request to elsewhere', async () => {
    const visit = await browser.visit(registry.url);
    expect(await visit.goTo('/docs/')).toBe(200);
    await visit.page.locator('[data-path="/assets/{id}"]').first().waitFor();
    expect(visit.asked).toContain('/api/0.1/openapi.json');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  it('tries a request', async () => {
    const visit = await browser.visit(registry.url);
    await visit.goTo('/docs/');
    const spore = visit.page.locator('.opblock-get', { has: visit.page.locator('[data-path="/spore"]') });
    await spore.locator('.opblock-summary-control').click();
    await spore.getByRole('button', { name: 'Try it out' }).click();
    await spore.getByRole('button', { name: 'Execute' }).click();
    await spore.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});
