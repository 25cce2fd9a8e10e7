import type { SeenAnswer } from './described-answers.js';

interface Judge {
  /** @param url of the service */
  see(url: string, answer: SeenAnswer): void;
  /** Resolves when it has read all documents that it needs, while their services still run. */
  isDone(): Promise<unknown>;
}

/** Ignores answers outside of the tests for which judge-answers.ts was loaded. */
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

/** The same for a request sent as bytes; ignored if they cannot be parsed as a request. */
export function sawRawAnswer(url: string, request: string | Buffer, answer: Omit<SeenAnswer, 'method' | 'path'>): void {
  const [, method, path] = REQUEST_LINE.exec(request.toString('latin1')) ?? [];
  if (method !== undefined && path !== undefined) sawAnswer(url, { ...answer, method, path });
}
