import { expect, it } from '@jest/globals';
import * as vocabulary from './vocabulary.js';

it('names what a module of a team may use; a name that goes is told in CHANGELOG.md', () => {
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
