import Sequencer from '@jest/test-sequencer';

/** The slowest files on a quiet machine, slowest first: a file's size does not predict its duration. */
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

/** Also works on a machine without earlier runs, on which Jest orders files by size. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Unit specs are quick and come last, so that no worker waits long for another. */
function rank({ context, duration, path }) {
  if (context.config.displayName?.name === 'unit') return LONGEST.length + 1;
  const index = duration === undefined ? LONGEST.findIndex((name) => path.includes(`/test/${name}.`)) : -1;
  return index < 0 ? LONGEST.length : index;
}
