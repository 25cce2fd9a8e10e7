import { describe, expect, it } from '@jest/globals';
import { AssetTypes } from '../asset-types/asset-types.js';
import * as installed from '../asset-types/installed.js';
import { unavailable } from '../platform/errors/errors.js';
import { targetOf } from '../http/request-target.js';
import type { AssetSearch } from '../search/asset-search.js';
import { SearchQueryPipe } from '../search/search-query.pipe.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { PageQueryPipe } from './page-query.pipe.js';
import { SearchInvalid } from './search-errors.js';

const types = new AssetTypes(Object.values(installed));
const time = new RegistryTime('Europe/Kyiv');
const away = (): Promise<never> => Promise.reject(unavailable('client_gone'));
const search = { isOn: true, choices: away } as unknown as AssetSearch;
const pipe = new PageQueryPipe(new SearchQueryPipe(types, time), search, time, types);
const refusalOf = (query: string): Promise<unknown> =>
  pipe.transform(targetOf({ url: `/?${query}` }).query).catch((error: unknown) => error);

describe('the query of the first page', () => {
  it('has its errors in the form while the database is unavailable, without regions to choose from', async () => {
    const refused = (await refusalOf('valueFrom=abc')) as SearchInvalid;
    expect(refused).toBeInstanceOf(SearchInvalid);
    expect([refused.status, refused.search.offered]).toEqual([400, { regions: [], currencies: [] }]);
  });
});
