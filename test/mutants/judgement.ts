/** How a program of a layer ended. */
export interface Ran {
  code: number | null;
  output: string;
  timedOut: boolean;
}

/**
 * `caught`: an assertion failed or a promise was seen broken. `unclear`: it ended badly without either (a time limit, a crash), which
 * proves nothing.
 */
export type Verdict = { kind: 'passed' } | { kind: 'caught'; by: readonly string[] } | { kind: 'unclear'; why: string };

/** What failure-reporter.js says of one failed test, or of a file that could not run. */
export interface Failure {
  file: string;
  test: string | undefined;
  messages: readonly string[];
}

export const FAILURE_MARK = 'FAILURE ';
const OUTPUT_SHOWN = 600;

/** Tests count as failed by an assertion only: a limit that passed, or an error that was thrown, may have any reason. */
export function judgeTests(ran: Ran): Verdict {
  const lines = ran.output.split('\n').filter((line) => line.startsWith(FAILURE_MARK));
  const failures = lines.map((line) => JSON.parse(line.slice(FAILURE_MARK.length)) as Failure);
  const by = failures.filter(isAssertion).map(({ file, test }) => `${file}: ${test}`);
  const [first] = failures;
  const why =
    first && `${first.file}: ${first.test ?? 'did not run'}: ${String(first.messages[0]).slice(0, OUTPUT_SHOWN)}`;
  return judge(ran, by, why);
}

function isAssertion({ test, messages }: Failure): boolean {
  return (
    test !== undefined && messages.some((message) => /\bexpect\(/.test(message) && !/Exceeded timeout/.test(message))
  );
}

/** The simulation ends with the first history that broke a promise. */
export function judgeSimulation(ran: Ran): Verdict {
  const [, setting, sentence] = /^Broken on (.+):\n {2}(.+)$/m.exec(ran.output) ?? [];
  return judge(ran, setting === undefined ? [] : [`${setting}: ${sentence}`]);
}

/** A run with faults tells its violations one by one, each with the name of its invariant. */
export function judgeFaults(ran: Ran): Verdict {
  const [, list = ''] = /^ {2}\d+ VIOLATIONS\n((?: {2}- .*\n)+)/m.exec(ran.output) ?? [];
  return judge(
    ran,
    list.split('\n').flatMap((line) => (line === '' ? [] : [line.slice('  - '.length)])),
  );
}

function judge({ code, output, timedOut }: Ran, by: readonly string[], why?: string): Verdict {
  if (by.length > 0) return { kind: 'caught', by };
  if (timedOut) return { kind: 'unclear', why: `it took too long. ${why ?? ''}` };
  if (code === 0) return { kind: 'passed' };
  return { kind: 'unclear', why: why ?? `it ended with ${code}: ${output.slice(-OUTPUT_SHOWN)}` };
}
