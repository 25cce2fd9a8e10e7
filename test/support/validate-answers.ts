/*
 * Loaded before every e2e test: validates every answer, received through fetch or the raw-byte clients, against the OpenAPI document, and watches
 * the database server for stalls.
 */
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { AnswerValidator, ObservedAnswer } from './answer-validator.js';
import { loadService } from './loaded-service.js';
import { setAnswerObserver, answersValidated, observeAnswer } from './observed-answers.js';
import { watchForStalls } from './server-stalls.js';

const DOCUMENT = '/api/0.1/openapi.json';
/** Headers that mark the registry's answers, as opposed to those of the metrics server. */
const REGISTRY_HEADERS = ['x-request-id', 'x-content-type-options', 'access-control-allow-origin'];
/** HTML pages and their files are not part of the API. */
const PAGES =
  /^\/(?:$|\?|docs(?:$|[/?])|assets\/|pages\/|changes\.atom|(?:accessibility|about|statistics)\/*(?:$|\?)|sitemap\.xml|\.well-known\/|favicon\.ico|robots\.txt|check-proof\.py)/;
/** Paths whose errors belong to the API even for a browser. */
const API_PATHS = /^\/(?:api|docs|health)(?:$|[/?])/;

const send = globalThis.fetch;
const service = await loadService();
/** Documents of services whose answers the default document does not describe: they may have other types. */
const ownValidators = new Map<string, Promise<AnswerValidator | undefined>>();
let validations: Promise<string[]>[] = [];

/** @returns the faults that remain by the service's own document */
async function validateByOwnDocument(url: string, answer: ObservedAnswer, faults: string[]): Promise<string[]> {
  const { origin } = new URL(url);
  const own = ownValidators.get(origin) ?? ownValidator(origin);
  ownValidators.set(origin, own);
  const left = (await own)?.faultsOf(answer) ?? faults;
  return left.map((fault) => `${answer.method} ${answer.path.slice(0, 200)} was answered ${answer.status}: ${fault}`);
}

async function ownValidator(origin: string): Promise<AnswerValidator | undefined> {
  try {
    const response = await send(origin + DOCUMENT);
    return response.ok ? new service.AnswerValidator((await response.json()) as OpenAPIObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an answer is an HTML page, including errors that a browser gets as a page. */
function isPage({ path, status, headers }: ObservedAnswer): boolean {
  if (status < 400) return PAGES.test(path);
  return headers.get('content-type')?.startsWith('text/html') === true && !API_PATHS.test(path);
}

setAnswerObserver({
  observe: (url, answer) => {
    if (!REGISTRY_HEADERS.some((name) => answer.headers.has(name))) return;
    if (isPage(answer)) return;
    const faults = service.answerValidator.faultsOf(answer);
    if (faults.length > 0) validations.push(validateByOwnDocument(url, answer, faults));
  },
  isDone: () => Promise.all(validations),
});

globalThis.fetch = async (input, init) => {
  const response = await send(input, init);
  // A test that aborts the answer sees the error on its own copy.
  const text = await response
    .clone()
    .text()
    .catch(() => undefined);
  if (text === undefined) return response;
  const { origin, pathname, search } = new URL(input instanceof Request ? input.url : input);
  const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
  const { status, headers } = response;
  const sent = typeof init?.body === 'string' ? init.body : undefined;
  observeAnswer(origin, { method, path: pathname + search, status, headers: new Map(headers), text, sent });
  await answersValidated();
  return response;
};

async function expectValid(): Promise<void> {
  const faults = (await Promise.all(validations)).flat();
  validations = [];
  if (faults.length > 0) throw new Error(`Not as the OpenAPI document says:\n${faults.slice(0, 10).join('\n')}`);
}

afterEach(expectValid);
afterAll(expectValid);

const watching = new AbortController();
let watch: Promise<void> | undefined;
beforeAll(() => {
  watch = watchForStalls(watching.signal).catch(() => undefined);
});
afterAll(() => {
  watching.abort();
  return watch;
});
