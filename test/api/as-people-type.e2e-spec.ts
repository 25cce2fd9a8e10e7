import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { ASSETS, assetBodyWith, change, createFrom, type JsonObject, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { embedded } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import { servedRegistry } from '../support/served-registry.js';
import { until } from '../support/until.js';

const SEARCH = `${ASSETS}/search`;

/** Titles, how people ask for them, and what must not find them. */
const TITLES: [title: string, typed: string[], others: string[]][] = [
  [
    'Будівля котельні, м. Кам’янець-Подільський',
    ['Кам"янець', 'Кам’янці', "кам'янець", 'камянець', "Кам''янець", 'Камянця-Подільського', 'к'],
    ['камінь'],
  ],
  ['Садиба Ґалаґанів у Сокиринцях', ['Галаган', 'Ґалаґан', 'галаґан', 'ГАЛАГАНІВ', 'Сокиринці'], ['калаган']],
  [
    'Легковий автомобіль ВАЗ-21099, седан',
    ['ваз21099', 'ВАЗ 21099', 'ВАЗ-21099', 'ваз/21099', 'ваз-21', 'ваз21', '21099', 'BAЗ-21099'],
    ['ваз2109 9', 'ваз-1099', '099'],
  ],
  ['Причіп, держ. номер АА 1234 ВС', ['АА1234ВС', 'AA1234BC', 'аа 1234 вс', 'АА-1234-ВС', '1234 вс'], ['234вс']],
  ['Екскаватор ЮМЗ-6АКЛ 1991 р.', ['ЮМЗ-6', 'ЮМЗ 6', 'юмз6', 'юмз6акл', 'ЮМЗ 6АКЛ', 'юмз-6-акл', '6акл'], ['ЮМЗ-66']],
  [
    'Цілісний комплекс ТОВ"АГРО-СВІТ"',
    ['агросвіт', 'АГРО-СВІТ', 'агро світ', 'Агро–Світ', 'тов агросвіт', 'ТОВ "Агросвіт"', 'агро-світу'],
    ['світагро'],
  ],
  [
    'Ділянка 3220881300:04:001:0012 для садівництва',
    ['3220881300040010012', '3220881300:04:001:0012', '3220881300.04.001.0012', '322088130004', '3220881300-04'],
    ['0400100', '88130004'],
  ],
  ['Трактор МТЗ82 і причіп', ['МТЗ-82', 'мтз 82', 'мтз82', 'MTЗ-82'], ['МТЗ-81', 'мтз 2']],
  ['Офіс, вул. Пушкінська, 12/5, кв. 7', ['Пушкінська 12', '12/5', 'пушкінській 12/5', 'п'], ['125', 'пушкінська 2']],
  [
    'Їхній ОБ’ЄКТ «Ґанок-Європа», площею 0.25 га за́мок',
    [
      'їхній',
      'ЇХНІЙ',
      'їх',
      'об’єк',
      'європа',
      'ґанок-європа',
      'ганокєвропа',
      'г',
      'га',
      '0.25',
      'замок',
      'площею їхній ґан',
      '  площею\tга ',
      'Їхній',
    ],
    ['іхній', 'ихній', 'европа', 'хній', 'а', 'їхній комора', 'площею0'],
  ],
  ['м. Яготин, вул. Шевченка, 12', ['яготин', 'м.Яготин', 'у місті Яготин', 'вулиця Шевченка 12', 'Ягoтин'], []],
  ['ВАЗ-2107 ЦЖ4321ХХ', ['ЦЖ4321ХХ', 'цж 4321 хх', 'ЦЖ-4321-ХХ', 'ваз 2107'], []],
  ['AX7654EC', ['AX7654EC', 'АХ7654ЕС', 'АХ 7654 ЕС'], []],
  ['Дві котельні', ['котелень', 'котельня'], []],
  ['Пів їдалень', ['їдальня'], []],
  ['Склад у м. Iвано-Франкiвськ', ['Івано-Франківськ', 'івано франківську', 'франківськ'], ['львів']],
];

describe.each(embedded)('what people type finds what they mean, on $name', (kind) => {
  const folder = newFolder();
  const registry = servedRegistry(kind, { SEARCH_INDEX: join(folder, 'index.sqlite') });
  const ids = new Map<string, string>();

  beforeAll(async () => {
    for (const [title] of TITLES) ids.set(title, (await publish(registry, { title })).id);
  });

  /** Ids, when all that is listed is searched. */
  const found = async (name: string, value: string, more = ''): Promise<string[]> => {
    const newest = (await registry.send(`${ASSETS}?descending=1&limit=1`)).json.data[0].dateModified as string;
    let reply = await registry.send(`${SEARCH}?limit=1`);
    await until(async () => {
      reply = await registry.send(`${SEARCH}?${name}=${encodeURIComponent(value)}${more}`);
      return reply.status !== 200 || reply.json.indexed_up_to === newest;
    });
    expect([value, reply.status]).toEqual([value, 200]);
    return (reply.json.data as { id: string }[]).map(({ id }) => id);
  };
  const published = async (path: string, value: unknown): Promise<string> => {
    const owned = await createFrom(registry, assetBodyWith(path, value));
    await change(registry, owned, { status: 'pending' });
    return owned.id;
  };

  it.each(TITLES)('%s', async (title, typed, others) => {
    const id = ids.get(title);
    for (const text of typed) expect([text, await found('q', text)]).toEqual([text, expect.arrayContaining([id])]);
    for (const text of others) expect([text, await found('q', text)]).toEqual([text, expect.not.arrayContaining([id])]);
  });

  it('the number of an asset, with its day and alone, without the zeros before it', async () => {
    const { id, asset } = await publish(registry);
    const [day, number] = [asset.assetID.slice(0, -'-000000'.length), Number(asset.assetID.slice(-6))];
    const texts = [`${day}-${number}`, `${day.toLowerCase()}/0${number}`, asset.assetID.slice('UA-'.length)];
    for (const text of [...texts, ` ${asset.assetID.toLowerCase()} `])
      expect([text, await found('q', text)]).toEqual([text, [id]]);
    for (const text of [String(number), day, day.slice(0, -3), day.slice(0, -6)])
      expect([text, await found('q', text)]).toEqual([text, expect.arrayContaining([id])]);
    expect(await found('q', `${day}-${number}1`)).toEqual([]);
  });

  it('the code of a custodian, however it is written, with its scheme as its page shows it', async () => {
    const id = await published('assetCustodian.identifier.id', 'ab-77 001/x');
    for (const text of ['AB-77 001/X', 'ab77 001x', '001/x', 'UA-EDR ab-77 001/x'])
      expect([text, await found('q', text)]).toEqual([text, [id]]);
    for (const text of ['ab7', 'UA-XXX ab-77 001/x']) expect([text, await found('q', text)]).toEqual([text, []]);
  });

  it.each(['34', '3411', 'CPV 34', 'cpv:34', 'Cpv 34110000-1', 'cpv', 'CPV:', 'cpv : 34'])(
    'the classification by %s',
    async (text) => {
      const id = await published('classification', { scheme: 'CPV', id: '34110000-1', description: 'Cars' });
      const other = await published('classification', { scheme: 'CAV', id: '04000000-8', description: 'Land' });
      const hits = await found('classification', text);
      expect(hits).toContain(id);
      expect(hits).not.toContain(other);
      for (const none of ['CAV:34', 'CPV 35', '35', 'CP', '4110'])
        expect([none, await found('classification', none)]).toEqual([none, expect.not.arrayContaining([id])]);
    },
  );

  it('the scheme of a classification, even if its name has spaces and a colon', async () => {
    const id = await published('classification', { scheme: 'ДК 021:2015', id: '70110000-8', description: 'Houses' });
    for (const text of ['ДК 021:2015', 'дк 021:2015 7011', 'ДК 021:2015:70110000-8', '7011'])
      expect([text, await found('classification', text)]).toEqual([text, expect.arrayContaining([id])]);
  });

  it('a region of Ukraine by any spelling, whichever the broker used', async () => {
    const crimea = await published('address.region', 'АР Крим');
    const lviv = [await published('address.region', 'Львiвська обл.'), await published('address.region', 'Lviv')];
    const city = await published('address.region', 'м. Львів');
    for (const text of ['Автономна Республіка Крим', 'Крим', 'AP Крим', 'Crimea'])
      expect([text, await found('region', text)]).toEqual([text, [crimea]]);
    for (const text of ['Львівська область', 'Lviv', 'Львiвська', 'Lviv Oblast', 'Львів. обл.'])
      expect([text, await found('region', text)]).toEqual([text, lviv.toReversed()]);
    expect(await found('region', 'Львів')).toEqual([city]);
    const { facets } = (await registry.send(`${SEARCH}?facets=region`)).json as { facets: { region: JsonObject } };
    expect(facets.region).toMatchObject({ 'Автономна Республіка Крим': 1, 'Львівська область': 2 });
  });

  it('the regions of items, and not the custodian’s region', async () => {
    const { data } = structuredClone(compound);
    const [item] = data.items;
    const regions = ['Рівненська область', 'Тернопільська область'];
    const items = regions.map((region) => ({ ...item, address: { ...item?.address, region } }));
    const assetCustodian = { ...data.assetCustodian, address: { countryName: 'Україна', region: 'Сумська область' } };
    const owned = await createFrom(registry, { data: { ...data, items, assetCustodian } });
    await change(registry, owned, { status: 'pending' });
    for (const region of regions) expect(await found('region', region, '&assetType=compound')).toEqual([owned.id]);
    for (const region of ['Сумська область', 'Рівнен', 'область']) expect(await found('region', region)).toEqual([]);
  });

  it.each([
    '"',
    '*',
    'NEAR(а б)',
    'OR NOT',
    'title:',
    'a\0b',
    '"w:зем" OR',
    '; DROP TABLE',
    'хй хц '.repeat(500),
    '\ufdfa'.repeat(500),
    '-хй'.repeat(500),
  ])('nothing by a hostile text, which is treated as text (%#)', async (text) => {
    expect(await found('q', text)).toEqual([]);
    expect(await found('region', text, '&q=космодром')).toEqual([]);
  });

  it('the currency of an asset whose amount was erased, which matches no range of amounts', async () => {
    const dear = await publish(registry, { value: { currency: 'CHF', amount: 5 } });
    const erased = await publish(registry, { value: { currency: 'CHF', amount: 7 } });
    const name = new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;
    const words = ['redact', erased.id, '--field', '/value/amount', '--reason', 'a court', '--yes', name];
    const env = { DATABASE_URL: registry.databaseUrl, SNAPSHOT_FOLDER: '/nowhere/at/all' };
    expect(await command(words, env)).toMatchObject({ code: 0 });
    expect((await found('currency', 'CHF')).toSorted()).toEqual([dear.id, erased.id].toSorted());
    for (const more of ['&sort=value', '&sort=-value', '&valueFrom=0', '&valueTo=99'])
      expect([more, await found('currency', 'CHF', more)]).toEqual([more, [dear.id]]);
  });

  it('no region by invisible characters, which are not shown either', async () => {
    const id = await published('address.region', '\u202eПоділля\u2069');
    expect(await found('region', 'Поділля')).toEqual([id]);
    const { facets } = (await registry.send(`${SEARCH}?facets=region`)).json as { facets: { region: JsonObject } };
    expect(facets.region).toMatchObject({ Поділля: 1 });
  });
});
