import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importExamples } from '../../../src/demo.js';
import { create } from '../../support/assets.js';
import { TestBrowser } from '../../support/browser.js';
import { databases, type TestDatabaseKind } from '../../support/databases.js';
import { TestRegistry, testConfig } from '../../support/registry.js';
import { pathOfNewest, type Shot, sizeOf, takeShots } from '../../support/screenshots.js';

const [sqlite] = databases as [TestDatabaseKind];

/** CI keeps them. */
const FOLDER = process.env.SCREENSHOTS ?? join(process.env.TEST_FOLDER as string, 'screenshots');
const EMPTY_BYTES = 10_000;
const UKRAINIAN = { locale: 'uk-UA' };

describe('a picture of each page', () => {
  let registry: TestRegistry;
  let browser: TestBrowser;

  beforeAll(async () => {
    const database = await sqlite.create();
    await importExamples(testConfig(database.url));
    const env = { SEARCH_INDEX: join(FOLDER, '..', 'screenshots.search.sqlite') };
    registry = await TestRegistry.startOn(database.url, env, database);
    browser = await TestBrowser.start();
  });
  afterAll(async () => {
    await browser?.stop();
    await registry?.stop();
  });

  it('is taken of the examples, without an error', async () => {
    const draft = await create(registry);
    const shots: Shot[] = [
      { name: 'home-uk', path: '/', options: UKRAINIAN },
      { name: 'home-en', path: '/' },
      { name: 'home-dark', path: '/', options: { colorScheme: 'dark' } },
      { name: 'home-narrow', path: '/', options: { ...UKRAINIAN, viewport: { width: 320, height: 640 } } },
      { name: 'search', path: '/?q=земельна&status=pending', options: UKRAINIAN },
      { name: 'asset', path: await pathOfNewest(registry.url, 'complete'), options: UKRAINIAN, whole: true },
      { name: 'asset-items', path: await pathOfNewest(registry.url, 'pending', 'compound'), whole: true },
      { name: 'asset-deleted', path: await pathOfNewest(registry.url, 'deleted'), options: UKRAINIAN },
      { name: 'asset-draft', path: `/assets/${draft.id}`, options: UKRAINIAN },
      { name: 'statistics', path: '/statistics', options: UKRAINIAN, whole: true },
      { name: 'not-found', path: '/assets/UA-2001-01-01-000001', options: UKRAINIAN },
    ];
    expect(await takeShots(browser, registry.url, shots, FOLDER)).toEqual([]);
    for (const shot of shots) expect([shot.name, sizeOf(FOLDER, shot)]).toEqual([shot.name, expect.any(Number)]);
    expect(Math.min(...shots.map((shot) => sizeOf(FOLDER, shot)))).toBeGreaterThan(EMPTY_BYTES);
  });
});
