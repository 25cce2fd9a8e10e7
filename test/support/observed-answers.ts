import type { ObservedAnswer } from './answer-validator.js';

interface AnswerObserver {
  /** @param url of the service */
  observe(url: string, answer: ObservedAnswer): void;
  /** Resolves when it has read all documents that it needs, while their services still run. */
  isDone(): Promise<unknown>;
}

/** Ignores answers outside of the tests for which validate-answers.ts was loaded. */
let observer: AnswerObserver = { observe: () => undefined, isDone: () => Promise.resolve() };

export function setAnswerObserver(next: AnswerObserver): void {
  observer = next;
}

/** @param url of the service */
export function observeAnswer(url: string, answer: ObservedAnswer): void {
  observer.observe(url, answer);
}

export async function answersValidated(): Promise<void> {
  await observer.isDone();
}

const REQUEST_LINE = /^([A-Z]+) (\/[^ ]*) HTTP\/1\.[01]\r\n/;

/** The same for a request sent as bytes; ignored if they cannot be parsed as a request. */
export function observeRawAnswer(
  url: string,
  request: string | Buffer,
  answer: Omit<ObservedAnswer, 'method' | 'path'>,
): void {
  const [, method, path] = REQUEST_LINE.exec(request.toString('latin1')) ?? [];
  if (method !== undefined && path !== undefined) observeAnswer(url, { ...answer, method, path });
}
