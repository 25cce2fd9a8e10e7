import type { SeenAnswer } from './described-answers.js';

/** Told of every answer; nobody listens outside of the tests that judge-answers.ts was loaded for. */
let listener: (url: string, answer: SeenAnswer) => void = () => undefined;

export function listenToAnswers(listen: typeof listener): void {
  listener = listen;
}

/** @param url of the service */
export function sawAnswer(url: string, answer: SeenAnswer): void {
  listener(url, answer);
}

const REQUEST_LINE = /^([A-Z]+) (\/[^ ]*) HTTP\/1\.[01]\r\n/;

/** The same for one whose request went out as bytes; where they are no request that can be read, there is nothing to compare it with. */
export function sawRawAnswer(url: string, request: string | Buffer, answer: Omit<SeenAnswer, 'method' | 'path'>): void {
  const [, method, path] = REQUEST_LINE.exec(request.toString('latin1')) ?? [];
  if (method !== undefined && path !== undefined) sawAnswer(url, { ...answer, method, path });
}
