/** Exit codes; documented in docs/synchronising.md. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  otherHistory: 3,
  locked: 4,
  differences: 5,
  logRefuted: 6,
  logNotComplete: 7,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error that is printed as a sentence, without a stack. */
export class SyncError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
