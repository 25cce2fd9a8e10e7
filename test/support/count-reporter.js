import { writeSync } from 'node:fs';
import { relative } from 'node:path';

const STDOUT = 1;
const SLOWEST_SHOWN = 5;

/** Ends the output with the slowest files, and one plain line for scripts: `N passed, N failed`. */
export default class CountReporter {
  #lines = undefined;
  #selectsTests;

  constructor({ testNamePattern }) {
    this.#selectsTests = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    // Jest prints its own summary after all custom reporters, so this line is written at exit, after Jest has printed everything.
    if (this.#lines === undefined) process.once('exit', () => writeSync(STDOUT, `${this.#lines.join('\n')}\n`));
    this.#lines = [...slowest(results), countLine(results, this.#selectsTests)];
  }
}

function slowest({ testResults }) {
  const took = testResults.map(({ perfStats, testFilePath }) => [perfStats.runtime, testFilePath]);
  const longest = took.toSorted(([one], [other]) => other - one).slice(0, SLOWEST_SHOWN);
  return [
    'The longest took:',
    ...longest.map(([ms, path]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${relative('', path)}`),
  ];
}

/** Jest counts tests that a name pattern excluded as skipped. */
function countLine(results, selectsTests) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = selectsTests ? 0 : results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
