import { describe, expect, it } from '@jest/globals';
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
import { databases, embedded } from '../support/databases.js';
import { beginning, expectError } from '../support/errors.js';
import { servedRegistry } from '../support/served-registry.js';

const TEXTS = ['title', 'assetCustodian.contactPoint.telephone'];
const DESCRIPTIONS = ['description', 'classification.description'];
const EMOJI = '🏡';

describe.each(embedded)('the values of an asset on $name', (kind) => {
  const registry = servedRegistry(kind);

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
      ['1e2', '100.0'],
      ['1e-9', '0.000000001'],
      ['123456.123456789', '123456.123456789'],
      ['1000000000000000', '1000000000000000.0'],
    ])('value.amount prints as a decimal number: %s as %s', async (written, shown) => {
      expect(await printed('value.amount', written)).toBe(shown);
    });

    it.each([
      ['5', '5'],
      ['5.0', '5'],
      ['1e2', '100'],
      ['1e-7', '0.0000001'],
      ['999999.999999999', '999999.999999999'],
    ])('quantity prints as the shortest plain decimal: %s as %s', async (written, shown) => {
      expect(await printed('quantity', written)).toBe(shown);
    });

    describe.each(['value.amount', 'quantity'] as const)('%s', (path) => {
      it.each([
        ['-0', '0'],
        ['0e9', '0'],
        ['100.00', '100'],
        ['1E+2', '100'],
        ['0.1e1', '1'],
        ['1.0000000000', '1'],
        ['100000000000000000000e-18', '100'],
        ['999999999999.999', '999999999999.999'],
        ['1e15', '1000000000000000'],
      ])('may be spelt in any way that JSON has: %s is %s', async (written, number) => {
        const shown = path === 'quantity' || number.includes('.') ? number : `${number}.0`;
        expect(await printed(path, written)).toBe(shown);
      });

      it.each(['-1', '-0.000000001', '-1e400'])('below zero is 422: %s', async (written) => {
        expectError(await post(registry, assetTextWith(path, written)), 422, 'body', path);
      });

      it.each([
        '1234567890123456',
        '0.1234567890123456',
        '0.30000000000000004',
        '0.0000000001',
        '1e-400',
        '1000000000000001',
        '9007199254740993',
        '1e16',
        '1e400',
      ])('that the registry cannot return exactly is 422: %s', async (written) => {
        expectError(await post(registry, assetTextWith(path, written)), 422, 'body', path);
      });

      it.each(['NaN', 'Infinity', '-Infinity', '+1', '01', '.5', '5.', '1e', '0x10', '1_000', '1,5'])(
        'in a spelling that JSON does not have is 422: %s',
        async (written) => {
          const description = 'No JSON object could be decoded';
          expectError(await post(registry, assetTextWith(path, written)), 422, 'body', 'data', beginning(description));
        },
      );
    });

    it('a number that the registry cannot return exactly is 422 on PATCH as well', async () => {
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
    it.each(['UAH', 'JPY'])('%s is an ISO 4217 code', async (currency) => {
      expect((await post(registry, assetBodyWith('value.currency', currency))).json.data.value.currency).toBe(currency);
    });

    it.each(['uah', 'ABC', '980'])('%p is invalid: 422', async (currency) => {
      expectError(await post(registry, assetBodyWith('value.currency', currency)), 422, 'body', 'value.currency');
    });
  });

  describe('assetCustodian.identifier.uri', () => {
    const path = 'assetCustodian.identifier.uri';

    it.each(['https://example.org/a?b=c#d', 'https://приклад.укр/шлях', 'HTTPS://EXAMPLE.ORG/'])(
      '%s is an absolute http(s) URL, and is returned as sent',
      async (uri) => {
        expect((await post(registry, assetBodyWith(path, uri))).json.data.assetCustodian.identifier.uri).toBe(uri);
      },
    );

    it.each(['example.org', 'javascript:alert(1)', 'http://', 'http:example.org', 'http://exa mple.org/'])(
      '%p is invalid: 422',
      async (uri) => {
        expectError(await post(registry, assetBodyWith(path, uri)), 422, 'body', path);
      },
    );
  });

  describe('strings', () => {
    it('a required one is not empty, an optional one may be', async () => {
      expectError(await post(registry, assetBody({ title: '' })), 422, 'body', 'title');
      expect((await create(registry, { description: '' })).asset['description']).toBe('');
    });

    it.each([0x00, 0x08, 0x0b, 0x1f, 0x7f, 0x9f])(
      'a string must not contain the control character %d',
      async (code) => {
        const text = `a${String.fromCodePoint(code)}b`;
        expectError(await post(registry, assetBody({ title: text })), 422, 'body', 'title');
      },
    );

    it.each(['\ud83c', '\udfe1\ud83c'])('a lone surrogate is 422: %j', async (text) => {
      expectError(await post(registry, assetBody({ title: text })), 422, 'body', 'title');
    });
  });

  describe('strings as the JSON libraries of other languages write them', () => {
    const TEXT = "Гай 🏡 <b>&'=+/</b>\u2028";
    it.each([
      ['json of Python', String.raw`"\u0413\u0430\u0439 \ud83c\udfe1 <b>&'=+/</b>\u2028"`],
      ['json_encode of PHP', String.raw`"\u0413\u0430\u0439 \ud83c\udfe1 <b>&'=+\/<\/b>\u2028"`],
      ['encoding/json of Go', String.raw`"Гай 🏡 \u003cb\u003e\u0026'=+/\u003c/b\u003e\u2028"`],
      [
        'System.Text.Json of .NET',
        String.raw`"\u0413\u0430\u0439 \uD83C\uDFE1 \u003Cb\u003E\u0026\u0027=\u002B/\u003C/b\u003E\u2028"`,
      ],
      ['Gson of Java', String.raw`"Гай 🏡 \u003cb\u003e\u0026\u0027\u003d+/\u003c/b\u003e\u2028"`],
    ])('they are the same text: %s', async (_library, written) => {
      const reply = await post(registry, assetTextWith('title', written));
      expect([reply.status, reply.json.data.title]).toEqual([201, TEXT]);
      expect((await read(registry, reply.json.data)).json.data.title).toBe(TEXT);
    });
  });
});

describe.each(databases)('the texts of an asset on $name', (kind) => {
  const registry = servedRegistry(kind);

  it.each([...TEXTS.map((path) => [path, 2_000] as const), ...DESCRIPTIONS.map((path) => [path, 50_000] as const)])(
    '%s accepts at most %d code points',
    async (path, most) => {
      const longest = await post(registry, assetBodyWith(path, EMOJI.repeat(most)));
      expect(longest.status).toBe(201);
      const shown = (await read(registry, longest.json.data)).json.data;
      expect(shown).toMatchObject(patchOf(path, EMOJI.repeat(most)));
      expectError(await post(registry, assetBodyWith(path, 'x'.repeat(most + 1))), 422, 'body', path);
      expectError(await post(registry, assetBodyWith(path, EMOJI.repeat(most + 1))), 422, 'body', path);
    },
  );

  it.each([
    ['trailing spaces', ' land  '],
    ['tab, LF and CR', 'a\tb\nc\r\nd'],
    ['emoji', `${EMOJI} 👩‍👩‍👧‍👦 🇺🇦`],
    ['decomposed letters', 'e\u0301 и\u0306'],
    ['composed letters', 'é й'],
    ['case', 'LaNd ІЇЄҐ ß ı'],
    ['a byte order mark', '\ufeffland\ufeff'],
    ['unusual spaces and marks', '\u00a0\u2003\u200b\u200d\u202e\u2028\u2029'],
    ['non-characters and private ones', '\uffff\ufdd0\ue000\u{10ffff}'],
    ['quotes and backslashes', `'"\\ \\0 \\' %s ? :name ; --`],
    ['markup', '<b>&amp;</b>'],
  ])('texts are returned code point for code point: %s', async (_what, text) => {
    const fields: JsonObject = { title: text, description: text };
    const { id, asset } = await create(registry, fields);
    expect(asset).toMatchObject(fields);
    expect((await read(registry, { id })).json.data).toMatchObject(fields);
  });

  it('replacing a text by one that a collation calls equal is a change', async () => {
    const owned = await create(registry, { title: 'land' });
    for (const title of ['LAND', 'LAND ', 'LÁND ', 'LA\u0301ND ']) {
      const reply = await change(registry, owned, { title });
      expect(reply.json.data.title).toBe(title);
      expect((await read(registry, owned)).json.data.title).toBe(title);
    }
  });
});
