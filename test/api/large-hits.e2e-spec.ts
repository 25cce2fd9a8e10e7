import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, change } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { largestBody } from '../support/large-asset.js';
import { newFolder } from '../support/new-folder.js';
import { follow, readPage } from '../support/pages.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import { servedRegistry } from '../support/served-registry.js';
import { until } from '../support/until.js';

const COUNT = 5;

describe.each(embedded)('hits of a megabyte on $name', (kind) => {
  const folder = newFolder();
  const registry = servedRegistry(kind, { BODY_LIMIT: '1mb', SEARCH_INDEX: join(folder, 'search.sqlite') });
  /** The oldest change first. */
  const ids: string[] = [];

  beforeAll(async () => {
    for (let i = 0; i < COUNT; i++) {
      const sent = { method: 'POST', key: 'broker', body: largestBody(), headers: { 'Idempotency-Key': String(i) } };
      const { access, data: asset } = (await retryUnavailable(() => registry.send(ASSETS, sent))).json;
      const owned = { id: asset.id, token: access.token, asset };
      expect((await retryUnavailable(() => change(registry, owned, { status: 'pending' }))).status).toBe(200);
      ids.push(owned.id);
    }
    await until(async () => (await registry.send(`${ASSETS}/search?limit=1`)).json.total === COUNT);
  });

  it.each(['dateModified', '-dateModified'])(
    'with fields, in the order of %s, fill a page, and the next pages continue to the end',
    async (sort) => {
      const query = `${ASSETS}/search?opt_fields=*&sort=${sort}`;
      const first = await readPage(registry, query);
      expect([2, 3]).toContain(first.data.length);
      const expected = sort === 'dateModified' ? ids : ids.toReversed();
      expect((await follow(registry, query)).map(({ id }) => id)).toEqual(expected);
    },
  );
});
