import { expect, it } from '@jest/globals';
import type { IndexPageQuery } from '../database/search/index-query.js';
import { Query } from '../http/request-target.js';
import type { RegistryRequest } from '../http/request.js';
import type { Answer } from '../http/answer.js';
import { EncodedText } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import type { FoundAsset } from './found-assets.js';
import { SearchController } from './search.controller.js';

const WORK = {
  isGone: (): boolean => false,
  chargeWork: (): void => undefined,
  beforeDeadline: <T>(answer: Promise<T>): Promise<T> => answer,
};

it('a page of the search is empty only at the end, even if hits before it are no longer readable', async () => {
  const instants = [1, 2, 3];
  const find = (_: unknown, { after }: IndexPageQuery): object => ({
    hits: instants
      .filter((us) => us > (after?.us ?? 0))
      .slice(0, 1)
      .map((us) => ({ id: `${us}`, modifiedUs: us })),
    total: instants.length,
    indexedUs: 3,
    epoch: 'e',
  });
  const body = EncodedText.from(Buffer.from('{}'));
  const asset = { id: '3', assetType: 'basic', createdUs: 1, modifiedUs: 3, body };
  const read = async (hits: FoundAsset['hit'][]): Promise<object[]> =>
    hits.filter(({ id }) => id === '3').map((hit) => ({ hit, asset }));
  const sent = { query: {}, page: { isDescending: false }, facets: [], fields: ['id'], offset: '' };
  const origins = { of: (): object => ({ base: '', path: '/s', query: new Query([]) }) };
  const parts = [{ find }, { read }, origins, new RegistryTime('UTC'), { transform: (): object => sent }, {}, {}];
  const controller = new SearchController(...(parts as unknown as ConstructorParameters<typeof SearchController>));
  const request = { headers: {} } as RegistryRequest;
  const answer = (await controller.list(request, WORK as never)) as Answer;
  expect(JSON.parse(String(answer.text))).toMatchObject({ next_page: { offset: '3' }, data: [{ id: '3' }] });
});
