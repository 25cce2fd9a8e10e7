import Sequencer from '@jest/test-sequencer';

/** A file of this size only says how long its series is (`test/series/`). */
const SERIES_BYTES = 300;

/** Also on a machine that has never run the tests: Jest orders those by the sizes of their files. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

/** Series are slow and their files are the smallest; unit specs are quick and end a run, so that no worker waits long for another. */
function rank({ context, duration, path }) {
  if (context.config.displayName?.name === 'unit') return 2;
  return duration === undefined && context.hasteFS.getSize(path) < SERIES_BYTES ? 0 : 1;
}
