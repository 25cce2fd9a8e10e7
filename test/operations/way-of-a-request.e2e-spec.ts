import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, type Owned, publish } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { EnteredFiles } from '../support/entered-files.js';
import { basic, TestRegistry } from '../support/registry.js';

/*
 * How many files somebody reads who follows a request, on a warm service that logs no requests and serves no metrics. A failure names them all. What makes a
 * number larger is a step on the way of every request: it goes, or the number is told by another one.
 */

const WARM_UP = 10;
const PAGE = 100;

describe.each(databases)('the way of a request on $name', (kind) => {
  let registry: TestRegistry;
  let owned: Owned;
  let entered: EnteredFiles;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    for (let i = 0; i < PAGE; i++) owned = await publish(registry);
    entered = await EnteredFiles.begin();
  });
  afterAll(async () => {
    entered?.end();
    await registry?.stop();
  });

  /** Not by `send`, which judges each answer with sources of the service. */
  const expectAtMost = async (most: number, path: string, requestOf: (time: number) => RequestInit): Promise<void> => {
    const ask = async (time: number): Promise<void> => {
      const reply = await fetch(registry.url + path, requestOf(time));
      await reply.text();
      expect(reply.status).toBe(200);
    };
    for (let i = 0; i < WARM_UP; i++) await ask(-i - 1);
    const files = await entered.byEach(most, ask);
    expect(files.length > most ? files : []).toEqual([]);
    // Of fewer the profiler, and not the service, would be the reason.
    expect(files.length).toBeGreaterThan(most / 2);
  };

  it('enters at most 50 files as a PATCH of a title', async () => {
    const headers = {
      Authorization: basic('broker'),
      'Content-Type': 'application/json',
      'X-Access-Token': owned.token,
    };
    await expectAtMost(50, `${ASSETS}/${owned.id}`, (time) => ({
      method: 'PATCH',
      headers,
      body: JSON.stringify({ data: { title: `title ${time}` } }),
    }));
  });

  it('enters at most 28 files as a page of the listing', async () => {
    await expectAtMost(28, `${ASSETS}?limit=${PAGE}`, () => ({}));
  });
});
