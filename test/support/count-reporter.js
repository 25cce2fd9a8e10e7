import { writeSync } from 'node:fs';
import { relative } from 'node:path';

const STDOUT = 1;
const SLOWEST_SHOWN = 5;

/** Ends the output with the files that took longest, and one plain line for machines that read it: `N passed, N failed`. */
export default class CountReporter {
  #lines = undefined;
  #selectsTests;

  constructor({ testNamePattern }) {
    this.#selectsTests = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    // Jest puts its own summary behind every custom reporter: only at exit, with its streams shut, has it nothing left to print.
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

/** Jest counts those that were not asked for by name as skipped. */
function countLine(results, selectsTests) {
  const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
  const skipped = selectsTests ? 0 : results.numPendingTests + results.numTodoTests;
  return `${results.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
