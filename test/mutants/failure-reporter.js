import { writeSync } from 'node:fs';
import { basename } from 'node:path';

const STDOUT = 1;

/** Says every failed test on a line of its own, for a program that reads them; also where --bail ends the run. */
export default class FailureReporter {
  onTestResult(_test, { testFilePath, testResults, testExecError, failureMessage }) {
    const file = basename(testFilePath);
    for (const { status, fullName, failureMessages } of testResults) {
      if (status === 'failed') say({ file, test: fullName, messages: failureMessages });
    }
    if (testExecError !== undefined) say({ file, messages: [failureMessage ?? 'did not run'] });
  }
}

function say(failure) {
  writeSync(STDOUT, `FAILURE ${JSON.stringify(failure)}\n`);
}
