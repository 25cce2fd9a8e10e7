import { parentPort } from 'node:worker_threads';

/** A thread's answer. `failed` instead of an Error, because structured cloning would drop its code. */
export type ThreadAnswer = { result: unknown } | { failed: { message: string; code: string | undefined } };

/** Makes this thread answer requests, one at a time. */
export function serve<Request>(answer: (request: Request) => unknown): void {
  parentPort?.on('message', (request: Request) => parentPort?.postMessage(answerOrError(answer, request)));
}

function answerOrError<Request>(answer: (request: Request) => unknown, request: Request): ThreadAnswer {
  try {
    return { result: answer(request) };
  } catch (error) {
    const { message, code } = error as Error & { code: string | undefined };
    return { failed: { message, code } };
  }
}
