import { randomBytes } from 'node:crypto';
import type { Request } from 'autocannon';
import { ASSETS } from '../test/support/assets.js';
import { Random } from '../test/support/random.js';
import { basic } from '../test/support/registry.js';
import { fieldsFrom } from './content.js';
import { BROKER, type DataSet } from './data-set.js';
import type { Kind } from './works.js';

/** Entries of a page of whole assets. */
export const WHOLE_PAGE = 1_000;
const OFFSET = /"next_page":\{"offset":"([^"]*)"/;
const PAGE = 100;
/** Width of the start, middle and end regions of the feed, as a share of it. */
const AROUND = 0.01;
/** Share of reads in the mix. Half of the other requests are creations, half changes. */
const READS = 0.9;
const PAGES = 0.05;
/** Length of a connection's sequence of requests, which it repeats. */
const REQUESTS = 200;
const HEADERS = { Authorization: basic(BROKER), 'Content-Type': 'application/json' };

/** @returns one connection's requests, in this order; other seeds give other requests */
export function requestsOf(kind: Kind, dataSet: DataSet, seed: number): Request[] {
  const random = new Random(seed);
  const length = kind === 'copy' || kind === 'change' ? 1 : REQUESTS;
  return Array.from({ length }, () => requestOf(kind, dataSet, random));
}

/** @param offset empty for the beginning of the feed */
function pagePath(offset: string, limit: number, whole = false): string {
  return `${ASSETS}?limit=${limit}&offset=${encodeURIComponent(offset)}${whole ? '&opt_fields=*' : ''}`;
}

function requestOf(kind: Kind, dataSet: DataSet, random: Random): Request {
  switch (kind) {
    case 'read':
      return { path: `${ASSETS}/${dataSet.idOf(random.int(0, dataSet.size - 1))}` };
    case 'start':
    case 'middle':
    case 'end':
      return pageAround(kind, dataSet, random);
    case 'same page':
      return { path: pagePath(dataSet.offsetAt(Math.floor(dataSet.size / 2)), PAGE) };
    case 'copy':
      return copying();
    case 'whole':
      return { path: pagePath(dataSet.offsetAt(random.int(0, lastStart(dataSet, WHOLE_PAGE))), WHOLE_PAGE, true) };
    case 'create':
      return creation(random);
    case 'change':
      return change(dataSet, random);
    case 'mix':
      return requestOf(kindInMix(random), dataSet, random);
  }
}

function kindInMix(random: Random): Kind {
  const dice = random.next();
  if (dice < READS) return 'read';
  if (dice < READS + PAGES) return 'end';
  return random.chance(0.5) ? 'create' : 'change';
}

function pageAround(position: 'start' | 'middle' | 'end', dataSet: DataSet, random: Random): Request {
  const width = Math.floor(dataSet.size * AROUND);
  const last = lastStart(dataSet, PAGE);
  const first = { start: 0, middle: Math.floor((last - width) / 2), end: Math.max(0, last - width) }[position];
  return { path: pagePath(dataSet.offsetAt(first + random.int(0, width)), PAGE) };
}

/** The last number at which a full page can begin: drafts are not listed, and changed assets have moved to the end. */
function lastStart(dataSet: DataSet, limit: number): number {
  return Math.max(0, dataSet.size - 2 * limit);
}

/** Follows the listing from its beginning to its last page, then again. */
function copying(): Request {
  let offset = '';
  return {
    setupRequest: (request) => ({ ...request, path: pagePath(offset, WHOLE_PAGE, true) }),
    onResponse: (_status, body) => {
      const next = OFFSET.exec(body)?.[1] ?? '';
      offset = next === offset ? '' : next;
    },
  };
}

function creation(random: Random): Request {
  const body = JSON.stringify({ data: { assetType: 'basic', ...fieldsFrom(random) } });
  return { method: 'POST', path: ASSETS, headers: HEADERS, body };
}

/** Changes another asset each time, to a title that no asset has had; otherwise nothing would change. */
function change(dataSet: DataSet, random: Random): Request {
  const own = randomBytes(6).toString('hex');
  let count = 0;
  return {
    setupRequest: (request) => {
      const number = dataSet.pickChanged(random);
      const title = `Земельна ділянка, уточнена назва ${own}-${count++}`;
      return {
        ...request,
        method: 'PATCH',
        path: `${ASSETS}/${dataSet.idOf(number)}`,
        headers: { ...HEADERS, 'X-Access-Token': dataSet.ownerTokenOf(number) },
        body: JSON.stringify({ data: { title } }),
      };
    },
  };
}
