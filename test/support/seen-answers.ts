import type { SeenAnswer } from './described-answers.js';

interface Judge {
  /** @param url of the service */
  see(url: string, answer: SeenAnswer): void;
  /** Until it has asked services what it needs to know, while they are still there. */
  isDone(): Promise<unknown>;
}

/** Nobody judges outside of the tests that judge-answers.ts was loaded for. */
let judge: Judge = { see: () => undefined, isDone: () => Promise.resolve() };

export function judgeAnswers(by: Judge): void {
  judge = by;
}

/** @param url of the service */
export function sawAnswer(url: string, answer: SeenAnswer): void {
  judge.see(url, answer);
}

export async function judged(): Promise<void> {
  await judge.isDone();
}

const REQUEST_LINE = /^([A-Z]+) (\/[^ ]*) HTTP\/1\.[01]\r\n/;

/** The same for one whose request went out as bytes; where they are no request that can be read, there is nothing to compare it with. */
export function sawRawAnswer(url: string, request: string | Buffer, answer: Omit<SeenAnswer, 'method' | 'path'>): void {
  const [, method, path] = REQUEST_LINE.exec(request.toString('latin1')) ?? [];
  if (method !== undefined && path !== undefined) sawAnswer(url, { ...answer, method, path });
}
