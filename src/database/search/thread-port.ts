import { parentPort } from 'node:worker_threads';

/** What a thread is asked, and its answer; both have the same number. */
export interface Numbered<Asked> {
  number: number;
  asked: Asked;
}

/** An error would lose its code on the way. */
export type Answered = { number: number } & ({ result: unknown } | { failed: { message: string; code: unknown } });

/** Ends a thread in order. */
export const END = 'end';

/** Lets this thread answer one message after the other. @param close called at the end */
export function serve<Asked>(answer: (asked: Asked) => unknown, close: () => void): void {
  parentPort?.on('message', ({ number, asked }: Numbered<Asked | typeof END>) => {
    if (asked !== END) return parentPort?.postMessage(answeredBy(answer, number, asked));
    close();
    parentPort?.close();
  });
}

function answeredBy<Asked>(answer: (asked: Asked) => unknown, number: number, asked: Asked): Answered {
  try {
    return { number, result: answer(asked) };
  } catch (error) {
    const { message, code } = error as Error & { code: unknown };
    return { number, failed: { message, code } };
  }
}
