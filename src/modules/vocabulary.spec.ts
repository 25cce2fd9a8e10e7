import { expect, it } from '@jest/globals';
import * as vocabulary from './vocabulary.js';

it('exports these names; removing one needs an entry in CHANGELOG.md', () => {
  expect(Object.keys(vocabulary).toSorted()).toEqual([
    'Answer',
    'ApiError',
    'BrokerKeyGuard',
    'CalledBy',
    'Data',
    'EnvelopeGuard',
    'HasBody',
    'KeyAfterBodyGuard',
    'MediaTypeGuard',
    'OwnerTokenGuard',
    'PageAnswer',
    'PublicAssets',
    'RegistryModule',
    'RegistryTime',
    'RoleGuard',
    'Roles',
    'StreamedAnswer',
    'TaggedAnswer',
    'TaggedPage',
    'accountOf',
    'apiPaths',
    'errors',
  ]);
});
