import Sequencer from '@jest/test-sequencer';

/** What took longest on a quiet machine, the longest first: the size of a file does not tell it. */
const LONGEST = [
  'feed/faults',
  'packaging/tutorial',
  'packaging/readme',
  'feed/filtered-feed',
  'api/random-searches',
  'clients/sync-kills',
  'clients/verify-kills',
  'dockerfile/image',
  'packaging/node-versions',
  'packaging/packaged-types',
  'feed/database-faults',
  'log/adversary',
  'operations/moving',
  'clients/copying',
  'operations/database-users',
  'operations/database-tls',
  'api/hostile-data',
  'clients/client-live',
  'clients/sync',
];

/** Also on a machine that has never run the tests: Jest orders those by the sizes of their files. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Unit specs are quick and end a run, so that no worker waits long for another. */
function rank({ context, duration, path }) {
  if (context.config.displayName?.name === 'unit') return LONGEST.length + 1;
  const place = duration === undefined ? LONGEST.findIndex((name) => path.includes(`/test/${name}.`)) : -1;
  return place < 0 ? LONGEST.length : place;
}
