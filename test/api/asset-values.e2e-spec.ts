import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  assetBody,
  assetBodyWith,
  assetTextWith,
  change,
  create,
  type JsonObject,
  patchOf,
  post,
  read,
} from '../support/assets.js';
import { databases } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { TestRegistry } from '../support/registry.js';

const TEXTS = [
  'title',
  'classification.id',
  'unit.name',
  'address.locality',
  'assetCustodian.name',
  'assetCustodian.contactPoint.telephone',
];
const DESCRIPTIONS = ['description', 'classification.description'];
const EMOJI = '🏡';

describe.each(databases)('the values of an asset on $name', (kind) => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
  });
  afterAll(() => registry?.stop());

  /** How the registry prints a number that was written as `written`. */
  async function printed(path: 'value.amount' | 'quantity', written: string): Promise<string | undefined> {
    const { id } = (await post(registry, assetTextWith(path, written))).json.data;
    const name = path.split('.').at(-1);
    return new RegExp(`"${name}":([^,}]+)`).exec((await read(registry, { id })).text)?.[1];
  }

  describe('numbers', () => {
    it.each([
      ['0', '0.0'],
      ['100', '100.0'],
      ['100.0', '100.0'],
      ['100.5', '100.5'],
      ['1e2', '100.0'],
      ['1.5E+1', '15.0'],
      ['0.1', '0.1'],
      ['0.10', '0.1'],
      ['0.000000001', '0.000000001'],
      ['1e-9', '0.000000001'],
      ['123456.123456789', '123456.123456789'],
      ['999999999999999', '999999999999999.0'],
      ['1000000000000000', '1000000000000000.0'],
      ['1e15', '1000000000000000.0'],
    ])('value.amount prints as a decimal number: %s as %s', async (written, shown) => {
      expect(await printed('value.amount', written)).toBe(shown);
    });

    it.each([
      ['0', '0'],
      ['5', '5'],
      ['5.0', '5'],
      ['1e2', '100'],
      ['0.5', '0.5'],
      ['1e-7', '0.0000001'],
      ['1.50', '1.5'],
      ['999999.999999999', '999999.999999999'],
      ['1e15', '1000000000000000'],
    ])('quantity prints as the shortest plain decimal: %s as %s', async (written, shown) => {
      expect(await printed('quantity', written)).toBe(shown);
    });

    describe.each(['value.amount', 'quantity'])('%s', (path) => {
      it.each(['-1', '-0.000000001', '-1e15'])('below zero is 422: %s', async (written) => {
        expectError(await post(registry, assetTextWith(path, written)), 422, 'body', path);
      });

      it.each([
        '1234567890123456',
        '0.1234567890123456',
        '12345678.12345678',
        '0.0000000001',
        '1e-10',
        '1000000000000001',
        '1e16',
        '1e400',
        '1e-400',
        '9007199254740993',
      ])('which would not come back exactly is 422: %s', async (written) => {
        expectError(await post(registry, assetTextWith(path, written)), 422, 'body', path);
      });
    });

    it('a number that would not come back exactly is 422 on PATCH too', async () => {
      const owned = await create(registry);
      const reply = await registry.send(`/api/0.1/assets/${owned.id}`, {
        method: 'PATCH',
        key: 'broker',
        headers: { 'Content-Type': 'application/json', 'X-Access-Token': owned.token },
        body: '{"data":{"value":{"amount":1234567890123456}}}',
      });
      expectError(reply, 422, 'body', 'value.amount');
    });
  });

  describe('currency', () => {
    it.each(['UAH', 'EUR', 'USD', 'JPY'])('%s is an ISO 4217 code', async (currency) => {
      expect((await post(registry, assetBodyWith('value.currency', currency))).json.data.value.currency).toBe(currency);
    });

    it.each(['', 'uah', 'ABC', 'UAHX', 'UA', '980', 'UAH '])('%p is none: 422', async (currency) => {
      expectError(await post(registry, assetBodyWith('value.currency', currency)), 422, 'body', 'value.currency');
    });
  });

  describe('assetCustodian.identifier.uri', () => {
    const path = 'assetCustodian.identifier.uri';

    it.each(['http://example.org', 'https://example.org/a?b=c#d', 'https://приклад.укр/шлях', 'HTTPS://EXAMPLE.ORG/'])(
      '%s is an absolute http(s) URL, and comes back as it was sent',
      async (uri) => {
        expect((await post(registry, assetBodyWith(path, uri))).json.data.assetCustodian.identifier.uri).toBe(uri);
      },
    );

    it.each([
      'example.org',
      '/path',
      '//example.org',
      'ftp://example.org',
      'javascript:alert(1)',
      'http://',
      'http:example.org',
      'http:///example.org',
      'http://exa mple.org/',
      ' http://example.org',
    ])('%p is none: 422', async (uri) => {
      expectError(await post(registry, assetBodyWith(path, uri)), 422, 'body', path);
    });
  });

  describe('strings', () => {
    it.each(TEXTS.filter((path) => path !== 'address.locality'))('a required one is not empty: %s', async (path) => {
      expectError(await post(registry, assetBodyWith(path, '')), 422, 'body', path);
    });

    it.each(['description', 'address.postalCode', 'assetCustodian.address.region'])(
      'an optional one may be empty: %s',
      async (path) => {
        const reply = await post(registry, assetBodyWith(path, ''));
        expect(reply.status).toBe(201);
        expect(reply.text).toContain(`"${path.split('.').at(-1)}":""`);
      },
    );

    it.each([...TEXTS.map((path) => [path, 2_000] as const), ...DESCRIPTIONS.map((path) => [path, 50_000] as const)])(
      '%s holds %d code points and no more',
      async (path, most) => {
        const longest = await post(registry, assetBodyWith(path, EMOJI.repeat(most)));
        expect(longest.status).toBe(201);
        const shown = (await read(registry, longest.json.data)).json.data;
        expect(shown).toMatchObject(patchOf(path, EMOJI.repeat(most)));
        expectError(await post(registry, assetBodyWith(path, 'x'.repeat(most + 1))), 422, 'body', path);
        expectError(await post(registry, assetBodyWith(path, EMOJI.repeat(most + 1))), 422, 'body', path);
      },
    );

    it.each([...range(0x00, 0x08), 0x0b, 0x0c, ...range(0x0e, 0x1f), ...range(0x7f, 0x9f)])(
      'a string holds no control character: %d',
      async (code) => {
        const text = `a${String.fromCodePoint(code)}b`;
        expectError(await post(registry, assetBody({ title: text })), 422, 'body', 'title');
      },
    );

    it.each([...TEXTS, ...DESCRIPTIONS])('tab, LF and CR are kept in %s', async (path) => {
      const reply = await post(registry, assetBodyWith(path, 'a\tb\nc\r\nd'));
      expect(reply.json.data).toMatchObject(patchOf(path, 'a\tb\nc\r\nd'));
    });

    it.each(['\ud83c', '\udfe1', 'a\ud83cb', '\udfe1\ud83c'])('a lone surrogate is 422: %j', async (text) => {
      expectError(await post(registry, assetBody({ title: text })), 422, 'body', 'title');
    });

    it.each([
      ['trailing spaces', ' land  '],
      ['emoji', `${EMOJI} 👩‍👩‍👧‍👦 🇺🇦`],
      ['decomposed letters', 'e\u0301 и\u0306'],
      ['composed letters', 'é й'],
      ['case', 'LaNd ІЇЄҐ ß ı'],
      ['a byte order mark', '\ufeffland\ufeff'],
      ['unusual spaces and marks', '\u00a0\u2003\u200b\u200d\u202e\u2028\u2029'],
      ['non-characters and private ones', '\uffff\ufdd0\ue000\u{10ffff}'],
      ['quotes and backslashes', `'"\\ \\0 \\' %s ? :name ; --`],
      ['markup', '<b>&amp;</b>'],
    ])('what is stored comes back code point for code point: %s', async (_what, text) => {
      const fields: JsonObject = { title: text, description: text };
      const { id, asset } = await create(registry, fields);
      expect(asset).toMatchObject(fields);
      expect((await read(registry, { id })).json.data).toMatchObject(fields);
    });

    it('texts that a database could take for equal are a change', async () => {
      const owned = await create(registry, { title: 'land' });
      for (const title of ['LAND', 'LAND ', 'LÁND ', 'LA\u0301ND ']) {
        const reply = await change(registry, owned, { title });
        expect(reply.json.data.title).toBe(title);
        expect((await read(registry, owned)).json.data.title).toBe(title);
      }
    });
  });
});

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}
