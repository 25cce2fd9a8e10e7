import { parentPort } from 'node:worker_threads';

/** What a thread answers. An error would lose its code on the way. */
export type Answered = { result: unknown } | { failed: { message: string; code: string | undefined } };

/** Lets this thread answer one question after the other. */
export function serve<Asked>(answer: (asked: Asked) => unknown): void {
  parentPort?.on('message', (asked: Asked) => parentPort?.postMessage(answeredBy(answer, asked)));
}

function answeredBy<Asked>(answer: (asked: Asked) => unknown, asked: Asked): Answered {
  try {
    return { result: answer(asked) };
  } catch (error) {
    const { message, code } = error as Error & { code: string | undefined };
    return { failed: { message, code } };
  }
}
