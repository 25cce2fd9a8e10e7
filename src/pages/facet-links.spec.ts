import { expect, it } from '@jest/globals';
import { AssetTypes } from '../asset-types/asset-types.js';
import * as installed from '../asset-types/installed.js';
import { Query } from '../http/request-head.js';
import { EVERYTHING } from '../search/search-query.js';
import { FacetLinks } from './facet-links.js';
import { ListedChoices } from './listed-choices.js';

it('has links to what the search takes alone: to no type that is not installed any more, and to none of its states', () => {
  const links = new FacetLinks(new ListedChoices(new AssetTypes(Object.values(installed))));
  const query = {
    conditions: [],
    query: EVERYTHING,
    isByValue: false,
    isDescending: true,
    isPreset: false,
    isAvailable: false,
    isSearch: false,
    after: undefined,
    isBack: false,
  };
  const none = { count: 0, isExact: true };
  const facets = {
    status: [['inspection', 1] as const, ['pending', 2] as const],
    assetType: [['gone', 3] as const],
    region: [['Київ', 4] as const],
  };
  const counts = { hits: none, everything: none, available: none, facets, similarRegions: [] };
  const visit = {
    language: 'en',
    hasChosen: false,
    base: '',
    root: '',
    path: '/',
    query: new Query([]),
    hasSearch: true,
  } as const;
  const shown = links.show(query, counts, visit)?.text ?? '';
  expect([...shown.matchAll(/<bdi>(.*?)<\/bdi> (\d)/g)].map(([, name, count]) => `${name} ${count}`)).toEqual([
    'Pending 2',
    'Київ 4',
  ]);
});
