import { beforeAll, describe, expect, it } from '@jest/globals';
import { basic } from '../../src/asset-types/basic/basic.asset-type.js';
import { readFields } from '../../src/asset-types/fields-json.js';
import { dateTimeFault, itemIdFault } from '../../src/asset-types/rules.js';
import { isMistyped, apiKeyFrom } from '../../src/auth/api-key.js';
import type { RegistryRequest } from '../../src/http/request.js';
import { isMatch, isNoneMatch, checkRequestHead, requestIdOf } from '../../src/http/request-head.js';
import { Query } from '../../src/http/request-target.js';
import { findJsonFault } from '../../src/http/json-fault.js';
import { isExactDecimal } from '../../src/http/json-text.js';
import { listingQueryOf } from '../../src/listing/feed-pages.js';
import { clusterMember } from '../../src/operations/cluster-cookie.js';
import { clientOf } from '../../src/http/limits/client-address.js';
import { RegistryTime } from '../../src/platform/time/registry-time.js';
import { assetBodyWith } from '../support/assets.js';

const LENGTH = 64 * 1024;
const RUNS = 3;
/** An expression that goes back for each character: of 64 KB it takes more than ten times as long as of this. */
const BAD = /a*b/;
const SHORT = 'a'.repeat(LENGTH / 4);

const time = new RegistryTime('Europe/Kyiv');
const requestOf = (parts: object): RegistryRequest =>
  ({
    url: '/',
    method: 'GET',
    httpVersion: '1.1',
    headers: { host: 'a' },
    rawHeaders: [],
    ...parts,
  }) as unknown as RegistryRequest;
const checkHead = (parts: object): void => checkRequestHead(requestOf(parts));
const listing = (name: string, value: string): unknown =>
  listingQueryOf(new Query([{ name, value, wellFormed: true }]), time);

/** Everything that looks at a client's text with a regular expression. */
const READERS: Record<string, (text: string) => unknown> = {
  'the number of a body': (text) => isExactDecimal(text),
  'a body that is no JSON': (text) => findJsonFault(text),
  'a string that is no JSON': (text) => findJsonFault(`"${text}\n`),
  'the name of a rogue field': (text) => readFields(basic.dto, { [text]: 1 }),
  'an API key': (text) => apiKeyFrom(text),
  'an API key behind its scheme': (text) => apiKeyFrom(`Basic ${text}`),
  'the checksum of a key': (text) => isMistyped(text),
  'If-Match': (text) => isMatch(text, '"1"'),
  'If-None-Match': (text) => isNoneMatch(text, '"1"'),
  Host: (text) => checkHead({ headers: { host: text } }),
  'Idempotency-Key': (text) => checkHead({ method: 'POST', headers: { host: 'a', 'idempotency-key': text } }),
  'X-Request-ID': (text) => requestIdOf({ headers: { 'x-request-id': text } }),
  'a path': (text) => checkHead({ url: text }),
  'an absolute path': (text) => checkHead({ url: `http://${text}` }),
  'a query': (text) => checkHead({ url: `/?${text}` }),
  offset: (text) => listing('offset', text),
  limit: (text) => listing('limit', text),
  opt_fields: (text) => listing('opt_fields', text),
  'a time': (text) => time.parse(text),
  'a cookie': (text) =>
    clusterMember('one').greet(requestOf({ headers: { cookie: text } }), { setHeader: () => undefined } as never),
  'an address': (text) => clientOf(text),
  'a text': (text) => readFields(basic.dto, assetBodyWith('title', text).data),
  'a description': (text) => readFields(basic.dto, assetBodyWith('description', text).data),
  'a currency': (text) => readFields(basic.dto, assetBodyWith('value.currency', text).data),
  'a date and time': (text) => dateTimeFault(text),
  'the id of an item': (text) => itemIdFault(text),
  'a URL': (text) => readFields(basic.dto, assetBodyWith('assetCustodian.identifier.uri', text).data),
};

/** Texts that make regular expressions with lookahead or backtracking slow. */
const TEXTS: Record<string, string> = {
  'zeros between digits': `1${'0'.repeat(LENGTH)}1`,
  'spaces between words': `a ${' '.repeat(LENGTH)}a`,
  quotes: '"'.repeat(LENGTH + 1),
  'weak tags': 'W/"'.repeat(LENGTH / 3),
  'a key of one letter with an end': `${'a'.repeat(LENGTH)}!`,
  'dots of a name': `${'a.'.repeat(LENGTH / 2)}!`,
  colons: ':'.repeat(LENGTH),
  'a date and digits': `2017-08-16T18:36:13.${'1'.repeat(LENGTH)}`,
  'an offset that ends and ends': ' 03'.repeat(LENGTH / 3),
  'percent signs': '%'.repeat(LENGTH),
  escapes: '\\\\\\u0041'.repeat(LENGTH / 8),
  cookies: 'SERVER_ID=;'.repeat(LENGTH / 11),
  'a URL': `http://${'a/'.repeat(LENGTH / 2)} `,
};

/** The least that it takes of our own time in milliseconds, as other processes have theirs; other runs may have met a collection of garbage. */
function leastMs(read: (text: string) => unknown, text: string): number {
  const took = Array.from({ length: RUNS }, () => {
    const began = process.cpuUsage();
    try {
      read(text);
    } catch {
      // A quick refusal is fine too.
    }
    return process.cpuUsage(began).user / 1_000;
  });
  return Math.min(...took);
}

let mostMs: number;
// By the machine itself, as one may be ten times slower than another.
beforeAll(() => {
  mostMs = leastMs((text) => BAD.test(text), SHORT);
});

describe.each(Object.entries(READERS))('%s of 64 KB', (_name, read) => {
  it.each(Object.entries(TEXTS))('is read or refused soon: %s', (_what, text) => {
    expect(leastMs(read, text)).toBeLessThan(mostMs);
  });
});
