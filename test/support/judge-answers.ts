/*
 * Loaded before every e2e test: every answer that it sees, through fetch or the clients of bytes, must be as the OpenAPI document says. And it
 * is known whether the database server stands still.
 */
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { DescribedAnswers, SeenAnswer } from './described-answers.js';
import { loadService } from './loaded-service.js';
import { judgeAnswers, judged, sawAnswer } from './seen-answers.js';
import { lookForStandstills } from './standstill.js';

const DOCUMENT = '/api/0.1/openapi.json';
/** Whatever has one of these is the registry's: not the server of metrics, which is another one. */
const OF_REGISTRY = ['x-request-id', 'x-content-type-options', 'access-control-allow-origin'];
/** Pages for people are no part of the API. */
const PAGES =
  /^\/(?:$|\?|docs(?:$|[/?])|assets\/|pages\/|changes\.atom|(?:accessibility|about|statistics)\/*(?:$|\?)|sitemap\.xml|\.well-known\/|favicon\.ico|robots\.txt|check-proof\.py)/;
/** Where an error is never one. */
const FOR_PROGRAMS = /^\/(?:api|docs|health)(?:$|[/?])/;

const send = globalThis.fetch;
const service = await loadService();
/** Of services that answered what the installed types do not explain: they may have others. */
const ownDescriptions = new Map<string, Promise<DescribedAnswers | undefined>>();
let judgements: Promise<string[]>[] = [];

/** @returns what its own document does not explain either */
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

/** An error is, where a browser asked. */
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
  // Whoever breaks off an answer learns it from its own copy.
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

const looking = new AbortController();
let looks: Promise<void> | undefined;
beforeAll(() => {
  looks = lookForStandstills(looking.signal).catch(() => undefined);
});
afterAll(() => {
  looking.abort();
  return looks;
});
