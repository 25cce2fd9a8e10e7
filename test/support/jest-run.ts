import { stripVTControlCharacters } from 'node:util';

/** Of a test that has failed: its name, and what was expected. */
const LINES_OF_ONE = 15;
const MAX_LINES = 150;
/** Of a run that has told of no test: it may have crashed. */
const LAST_LINES = 30;
const TELLING = /^\s*(?:FAIL |● |Test Suites:|Tests:)/;

/**
 * Which files and tests have failed, why, and how many passed. All that jest writes is longer than a report, which is cut then where it
 * becomes interesting.
 */
export function whatFailed(output: string): string {
  const all = stripVTControlCharacters(output).split('\n');
  // With many files it tells at its end once more what has failed.
  const lines = all.slice(
    Math.max(
      0,
      all.findIndex((line) => line.startsWith('Summary of all failing tests')),
    ),
  );
  const told = new Set<number>();
  for (const [at, line] of lines.entries()) {
    if (!TELLING.test(line)) continue;
    const count = line.trimStart().startsWith('● ') ? LINES_OF_ONE : 1;
    for (let i = at; i < at + count && i < lines.length; i++) told.add(i);
  }
  const shown = told.size === 0 ? lines.slice(-LAST_LINES) : lines.filter((_, at) => told.has(at));
  return shown.slice(0, MAX_LINES).join('\n');
}
