/*
 * Loaded before every e2e test: validates every answer, received through fetch or the raw-byte clients, against the OpenAPI document, and watches
 * the database server for stalls.
 */
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { DescribedAnswers, SeenAnswer } from './described-answers.js';
import { loadService } from './loaded-service.js';
import { judgeAnswers, judged, sawAnswer } from './seen-answers.js';
import { watchForStalls } from './server-stalls.js';

const DOCUMENT = '/api/0.1/openapi.json';
/** Headers that mark the registry's answers, as opposed to those of the metrics server. */
const OF_REGISTRY = ['x-request-id', 'x-content-type-options', 'access-control-allow-origin'];
/** HTML pages and their files are not part of the API. */
const PAGES =
  /^\/(?:$|\?|docs(?:$|[/?])|assets\/|pages\/|changes\.atom|(?:accessibility|about|statistics)\/*(?:$|\?)|sitemap\.xml|\.well-known\/|favicon\.ico|robots\.txt|check-proof\.py)/;
/** Paths whose errors belong to the API even for a browser. */
const FOR_PROGRAMS = /^\/(?:api|docs|health)(?:$|[/?])/;

const send = globalThis.fetch;
const service = await loadService();
/** Documents of services whose answers the default document does not describe: they may have other types. */
const ownDescriptions = new Map<string, Promise<DescribedAnswers | undefined>>();
let judgements: Promise<string[]>[] = [];

/** @returns the faults that remain by the service's own document */
async function judgeAgain(url: string, answer: SeenAnswer, faults: string[]): Promise<string[]> {
  const { origin } = new URL(url);
  const own = ownDescriptions.get(origin) ?? ownDescription(origin);
  ownDescriptions.set(origin, own);
  const left = (await own)?.faultsOf(answer) ?? faults;
  return left.map((fault) => `${answer.method} ${answer.path.slice(0, 200)} was answered ${answer.status}: ${fault}`);
}

async function ownDescription(origin: string): Promise<DescribedAnswers | undefined> {
  try {
    const response = await send(origin + DOCUMENT);
    return response.ok ? new service.DescribedAnswers((await response.json()) as OpenAPIObject) : undefined;
  } catch {
    return undefined;
  }
}

/** An error is, if a browser requested a page. */
function isForPeople({ path, status, headers }: SeenAnswer): boolean {
  if (status < 400) return PAGES.test(path);
  return headers.get('content-type')?.startsWith('text/html') === true && !FOR_PROGRAMS.test(path);
}

judgeAnswers({
  see: (url, answer) => {
    if (!OF_REGISTRY.some((name) => answer.headers.has(name))) return;
    if (isForPeople(answer)) return;
    const faults = service.described.faultsOf(answer);
    if (faults.length > 0) judgements.push(judgeAgain(url, answer, faults));
  },
  isDone: () => Promise.all(judgements),
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
  sawAnswer(origin, { method, path: pathname + search, status, headers: new Map(headers), text, sent });
  await judged();
  return response;
};

async function expectDescribed(): Promise<void> {
  const faults = (await Promise.all(judgements)).flat();
  judgements = [];
  if (faults.length > 0) throw new Error(`Not as the OpenAPI document says:\n${faults.slice(0, 10).join('\n')}`);
}

afterEach(expectDescribed);
afterAll(expectDescribed);

const watching = new AbortController();
let watch: Promise<void> | undefined;
beforeAll(() => {
  watch = watchForStalls(watching.signal).catch(() => undefined);
});
afterAll(() => {
  watching.abort();
  return watch;
});
