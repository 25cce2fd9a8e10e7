import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import * as installed from '../../src/asset-types/installed.js';
import { ASSETS, assetBody, change, createFrom, type JsonObject, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { newFolder } from '../support/new-folder.js';
import { servedRegistry } from '../support/served-registry.js';
import { dateOf, readSpreadsheet, type SheetRow } from '../support/spreadsheet.js';
import { until } from '../support/until.js';

const XLSX = `${ASSETS}/search.xlsx`;
const COUNT = 5;
const LONG = 'Ж🚀'.repeat(17_000);
const ODD = '=1+1\r\n<&> _x0041_ \ufffe';

describe.each(embedded)('the search as a spreadsheet on $name', (kind) => {
  const registry = servedRegistry(kind, { SEARCH_INDEX: join(newFolder(), 'search.sqlite'), TIME_ZONE: 'Europe/Kyiv' });

  const get = async (query = '', headers: Record<string, string> = {}) => {
    const answer = await fetch(registry.url + XLSX + query, { headers });
    return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
  };
  const sheets = async (query = '', headers: Record<string, string> = {}) => {
    const all = readSpreadsheet((await get(query, headers)).bytes);
    const [assets, items] = all.values();
    return { names: [...all.keys()], assets: assets as SheetRow[], items: items as SheetRow[] };
  };
  const only = async (q: string): Promise<SheetRow> => {
    const { assets } = await sheets(`?lang=en&q=${encodeURIComponent(q)}`);
    expect(assets).toHaveLength(1);
    return assets[0] as SheetRow;
  };
  const valueOf = (row: SheetRow, heading: string) => row[heading]?.value;

  beforeAll(async () => {
    const { data } = assetBody();
    const address = { countryName: 'Україна', postalCode: '01001', region: 'м. Київ' };
    await publish(registry, { title: 'Хутір', address, value: { currency: 'UAH', amount: 1250.5 }, quantity: 7 });
    await publish(registry, {
      title: 'Довга',
      description: LONG,
    });
    await publish(registry, { title: 'Дивна', description: ODD, unit: { ...(data['unit'] as object), code: '007' } });
    for (const { example } of [installed.compound, installed.claimRights])
      await change(registry, await createFrom(registry, example), { status: 'pending' });
    await until(async () => (await registry.send(`${ASSETS}/search?limit=1`)).json.total === COUNT);
  });

  it('has the rows of the CSV, in their order', async () => {
    const { text } = await registry.send(`${ASSETS}/search.csv?sort=dateModified`);
    const rows = parse(text, { columns: true }) as unknown as JsonObject[];
    const { assets } = await sheets('?sort=dateModified&lang=en');
    const shown = assets.map((row) => [valueOf(row, 'Id'), valueOf(row, 'Title'), valueOf(row, 'State: code')]);
    expect(shown).toEqual(rows.map(({ id, title, status }) => [id, title, status]));
  });

  it('keeps leading zeros of codes, and has amounts as numbers with the currency in another column', async () => {
    const row = await only('хутір');
    expect(row['Address: postal code']).toEqual({ value: '01001', format: '@' });
    expect(row['Value: amount']).toEqual({ value: 1250.5, format: '#,##0.00#######' });
    expect([valueOf(row, 'Value: currency'), valueOf(row, 'Quantity'), valueOf(row, 'Value: VAT included')]).toEqual([
      'UAH',
      7,
      'yes',
    ]);
    expect(valueOf(await only('Дивна'), 'Unit: code')).toBe('007');
  });

  it('has instants as dates of the registry’s time zone, and the exact instant as text', async () => {
    const row = await only('хутір');
    const { data } = (await registry.send(`${ASSETS}/${String(valueOf(row, 'Id'))}`)).json;
    const exact = String(valueOf(row, 'Changed: exactly'));
    expect(exact).toBe((data as JsonObject)['dateModified']);
    expect(row['Changed']).toMatchObject({ value: expect.any(Number), format: 'date and time' });
    // Rounded to a second, it may be the next one.
    expect(
      Math.abs(Date.parse(`${dateOf(row['Changed'] as never)}Z`) - Date.parse(`${exact.slice(0, 19)}Z`)),
    ).toBeLessThanOrEqual(1000);
  });

  it('cuts a text that is too long for a cell, with a mark and the link of its asset', async () => {
    const row = await only('Довга');
    const text = String(valueOf(row, 'Description'));
    const ending = ` … ${registry.url}/assets/${String(valueOf(row, 'Asset ID'))}`;
    expect([text.length <= 32_767, text.endsWith(ending), text.isWellFormed()]).toEqual([true, true, true]);
    expect(LONG.startsWith(text.slice(0, -ending.length))).toBe(true);
    expect((await registry.send(ending.slice(3 + registry.url.length))).status).toBe(200);
  });

  it('brings back texts that look like formulas, and characters that XML does not allow', async () => {
    expect((await only('Дивна'))['Description']).toEqual({ value: ODD, format: '@' });
  });

  it('has the members of lists on a second sheet, each with the number of its asset', async () => {
    const { assets, items } = await sheets('?lang=en&assetType=compound');
    const sent = installed.compound.example.data['items'] as { description: string; quantity: number }[];
    expect(
      items.map((row) => [valueOf(row, 'Asset ID'), valueOf(row, 'Description'), valueOf(row, 'Quantity')]),
    ).toEqual(
      sent.map(({ description, quantity }) => [valueOf(assets[0] as SheetRow, 'Asset ID'), description, quantity]),
    );
    expect((await sheets('?assetType=basic')).items).toEqual([]);
  });

  it('has headings and names of closed lists in the requested language, or in the one that the browser prefers', async () => {
    const read = async (query: string, language = ''): Promise<unknown> => {
      const { names, assets } = await sheets(`?assetType=claimRights${query}`, { 'Accept-Language': language });
      const [row = {}] = assets;
      return [...names, Object.keys(row)[1], row['Борг: тип боржника']?.value ?? row['Debt: debtor type']?.value];
    };
    const { uk, en } = { uk: 'Юридична особа', en: 'Legal person' };
    const [ukrainian, english] = [
      ['Обʼєкти', 'Складові', 'Номер', uk],
      ['Assets', 'Items', 'Asset ID', en],
    ];
    expect(await read('')).toEqual(ukrainian);
    expect(await read('', 'en-GB,en')).toEqual(english);
    expect(await read('&lang=uk', 'en')).toEqual(ukrainian);
    expectError(await registry.send(`${XLSX}?lang=de`), 400, 'header', 'lang');
    expectError(await registry.send(`${XLSX}?lang=uk&lang=en`), 400, 'header', 'lang');
    expectError(await registry.send(`${XLSX}?bom=1`), 400, 'header', 'bom');
  });

  it('links to its continuation if it is cut', async () => {
    const { headers, bytes } = await get('?lang=en&limit=2');
    expect(headers.get('truncated')).toBe('true');
    const [, next = ''] = /^<([^>]*)>; rel="next"$/.exec(String(headers.get('link'))) ?? [];
    expect(next).toContain('search.xlsx?lang=en&limit=2&offset=');
    const answer = await fetch(next);
    const rows = [bytes, Buffer.from(await answer.arrayBuffer())].flatMap((file) =>
      readSpreadsheet(file).get('Assets'),
    );
    expect(new Set(rows.map((row) => row && valueOf(row, 'Id'))).size).toBe(4);
  });

  it('has its media type, no content coding, and answers 304 to a matching ETag', async () => {
    const { status, headers } = await get('', { 'Accept-Encoding': 'gzip, br' });
    expect([status, headers.get('content-type'), headers.get('content-encoding')]).toEqual([
      200,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      null,
    ]);
    expect([headers.get('content-disposition'), headers.get('truncated'), headers.get('vary')]).toEqual([
      'attachment; filename="assets.xlsx"',
      null,
      'Accept-Language, Accept-Encoding',
    ]);
    const etag = String(headers.get('etag'));
    expect((await get('', { 'If-None-Match': etag })).status).toBe(304);
    expect((await get('?lang=en', { 'If-None-Match': etag })).status).toBe(200);
    expect((await registry.send(XLSX, { method: 'HEAD' })).headers.get('etag')).toBe(etag);
    expect((await registry.send(XLSX, { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});
