import { randomBytes } from 'node:crypto';
import { ASSETS } from '../../test/support/assets.js';
import { head } from '../../test/support/raw-socket.js';
import { Random } from '../../test/support/random.js';
import { basic } from '../../test/support/registry.js';
import { fieldsFrom } from '../data-set/content.js';
import { BROKER, type DataSet } from '../data-set/data-set.js';
import { apiSearch, searchPath } from './searches.js';

export const REQUEST_KINDS = [
  'read',
  'start',
  'middle',
  'end',
  'same page',
  'whole',
  'create',
  'change',
  'mix',
  'home',
  'asset page',
  'search page',
  'search',
  'facets',
  'statistics',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** The entries of a page of whole assets. */
export const WHOLE_PAGE = 1_000;
const PAGE = 100;
/** Around the start, the middle and the end of the feed: one percent of it. */
const AROUND = 0.01;
/** Of the requests of a normal day; half of the rest are creations, half changes. */
const READS = 0.9;
const LISTINGS = 0.05;
const BODIES = 256;
const HOST = 'Host: registry.example';
const KEY = `Authorization: ${basic(BROKER)}`;

/** @returns what makes the next request each time, as it goes over the wire */
export function requestsOf(kind: RequestKind, dataSet: DataSet, seed: number): () => string {
  const random = new Random(seed);
  switch (kind) {
    case 'read':
      return () => read(dataSet.idOf(random.int(0, dataSet.size - 1)));
    case 'start':
    case 'middle':
    case 'end':
      return pagesAround(kind, dataSet, random);
    case 'same page':
      return constant(page(dataSet.offsetAt(Math.floor(dataSet.size / 2)), PAGE));
    case 'whole':
      return () => page(dataSet.offsetAt(random.int(0, lastStart(dataSet, WHOLE_PAGE))), WHOLE_PAGE, true);
    case 'create':
      return creations(random);
    case 'change':
      return changes(dataSet, random);
    case 'mix':
      return mix(dataSet, seed);
    case 'home':
      return constant(get('/'));
    case 'asset page':
      return () => get(`/assets/${dataSet.assetIdOf(dataSet.pickListed(random))}`);
    case 'search page':
      return searches(() => searchPath(dataSet, random), random);
    case 'search':
      return searches(() => apiSearch(dataSet, random), random);
    case 'facets':
      return searches(() => `${apiSearch(dataSet, random)}&facets=status,assetType,region`, random);
    case 'statistics':
      return constant(get('/api/0.1/statistics'));
  }
}

export function read(id: string): string {
  return get(`${ASSETS}/${id}`);
}

/** @param offset empty: from the beginning */
export function page(offset: string, limit: number, whole = false): string {
  const query = `limit=${limit}&offset=${encodeURIComponent(offset)}${whole ? '&opt_fields=*' : ''}`;
  return get(`${ASSETS}?${query}`);
}

function get(path: string): string {
  return head(`GET ${path} HTTP/1.1`, HOST);
}

function pagesAround(place: 'start' | 'middle' | 'end', dataSet: DataSet, random: Random): () => string {
  const width = Math.floor(dataSet.size * AROUND);
  const last = lastStart(dataSet, PAGE);
  const first = { start: 0, middle: Math.floor((last - width) / 2), end: Math.max(0, last - width) }[place];
  return () => page(dataSet.offsetAt(first + random.int(0, width)), PAGE);
}

/** From here on a page is still full, though drafts are left out and changed assets have moved to the end. */
function lastStart(dataSet: DataSet, limit: number): number {
  return Math.max(0, dataSet.size - 2 * limit);
}

/** Made beforehand: to know a custodian's code takes as long as many requests. */
function searches(path: () => string, random: Random): () => string {
  const requests = Array.from({ length: BODIES }, () => get(path()));
  return () => random.pick(requests);
}

function creations(random: Random): () => string {
  const bodies = Array.from({ length: BODIES }, () =>
    withBody(`POST ${ASSETS} HTTP/1.1`, { data: { assetType: 'basic', ...fieldsFrom(random) } }),
  );
  return () => random.pick(bodies);
}

/** Each with a title that no asset has had, or there would be nothing to change. */
function changes(dataSet: DataSet, random: Random): () => string {
  const own = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    const number = dataSet.pickChanged(random);
    const target = `PATCH ${ASSETS}/${dataSet.idOf(number)} HTTP/1.1`;
    const token = `X-Access-Token: ${dataSet.ownerTokenOf(number)}`;
    return withBody(target, { data: { title: `Земельна ділянка, уточнена назва ${own}-${count++}` } }, token);
  };
}

function mix(dataSet: DataSet, seed: number): () => string {
  const random = new Random(seed);
  const [reads, pages, creating, changing] = (['read', 'end', 'create', 'change'] as const).map((kind) =>
    requestsOf(kind, dataSet, random.fork().seed),
  ) as [() => string, () => string, () => string, () => string];
  return () => {
    const dice = random.next();
    if (dice < READS) return reads();
    if (dice < READS + LISTINGS) return pages();
    return random.chance(0.5) ? creating() : changing();
  };
}

function withBody(requestLine: string, body: object, ...further: string[]): string {
  const text = JSON.stringify(body);
  const length = `Content-Length: ${Buffer.byteLength(text)}`;
  return head(requestLine, HOST, KEY, 'Content-Type: application/json', length, ...further) + text;
}

const constant = (request: string) => (): string => request;
