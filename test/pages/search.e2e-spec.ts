import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { assetBodyWith, change, createFrom, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import { TestRegistry } from '../support/registry.js';
import { TestSearch } from '../support/search.js';

describe.each(embedded)('search on $name', (kind) => {
  const folder = newFolder();
  let registry: TestRegistry;
  let search: TestSearch;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    search = await TestSearch.start(registry.databaseUrl, join(folder, 'index.sqlite'));
  });
  afterAll(async () => {
    await search?.stop();
    await registry?.stop();
  });

  const published = async (path: string, value: unknown): Promise<Owned> => {
    const owned = await createFrom(registry, assetBodyWith(path, value));
    await change(registry, owned, { status: 'pending' });
    return owned;
  };

  describe('finds by the title', () => {
    let owned: Owned;
    beforeAll(async () => {
      owned = await publish(registry, { title: 'Їхній ОБ’ЄКТ «Ґанок-Європа», площею 0.25 га за́мок' });
    });

    it.each([
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
    ])('%s', async (text) => expect(await search.ids({ text })).toEqual([owned.id]));

    it.each(['іхній', 'ихній', 'европа', 'хній', 'а', 'їхній комора', 'площею0'])('and not %s', async (text) =>
      expect(await search.ids({ text })).toEqual([]),
    );
  });

  it.each([
    ['м. Яготин, вул. Шевченка, 12', ['яготин', 'м.Яготин', 'у місті Яготин', 'вулиця Шевченка 12', 'Ягoтин']],
    ['ВАЗ-2107 ЦЖ4321ХХ', ['ЦЖ4321ХХ', 'цж 4321 хх', 'ЦЖ-4321-ХХ', 'ваз 2107']],
    ['AX7654EC', ['AX7654EC', 'АХ7654ЕС', 'АХ 7654 ЕС']],
    ['Дві котельні', ['котелень', 'котельня']],
    ['Пів їдалень', ['їдальня']],
  ])('finds %s as people write it', async (title, texts) => {
    const { id } = await publish(registry, { title });
    for (const text of texts) expect([text, await search.ids({ text })]).toEqual([text, [id]]);
  });

  it('finds by assetID, whole and by its day, month and year, in any case', async () => {
    const { id, asset } = await publish(registry);
    const day = asset.assetID.split('-').slice(0, 4).join('-');
    expect(await search.ids({ text: asset.assetID })).toEqual([id]);
    expect(await search.ids({ text: ` ${asset.assetID.toLowerCase()} ` })).toEqual([id]);
    for (const text of [day, day.slice(0, -3), day.slice(0, -6)]) expect(await search.ids({ text })).toContain(id);
    expect(await search.ids({ text: asset.assetID.slice(0, -1) })).toEqual([]);
  });

  it('finds by the custodian’s code, however it is written', async () => {
    const { id } = await published('assetCustodian.identifier.id', 'ab-77 001/x');
    for (const text of ['AB-77 001/X', 'ab77 001x', '001/x']) expect(await search.ids({ text })).toEqual([id]);
    expect(await search.ids({ text: 'ab7' })).toEqual([]);
  });

  it('takes the spellings of a region for one, and tells a city from the oblast around it', async () => {
    const [whole, city] = [
      await published('address.region', 'Чернігівська область'),
      await published('address.region', 'м. Чернігів'),
    ];
    expect(await search.ids({ region: 'чернігівська обл.' })).toEqual([whole.id]);
    expect(await search.ids({ region: 'ЧЕРНІГІВ' })).toEqual([city.id]);
    expect(await search.ids({ region: ['Чернігів', 'Чернігівська'] })).toEqual([city.id, whole.id]);
    for (const region of ['Черніг', 'область']) expect(await search.ids({ region })).toEqual([]);
  });

  it('finds a custodian as its page shows it, with the scheme', async () => {
    const { id } = await published('assetCustodian.identifier.id', '44556677');
    expect(await search.ids({ text: 'UA-EDR 44556677' })).toEqual([id]);
    expect(await search.ids({ text: 'UA-XXX 44556677' })).toEqual([]);
  });

  it('knows the regions of items, and not where the custodian sits', async () => {
    const body = structuredClone(compound) as { data: Record<string, unknown> };
    const [item] = body.data['items'] as { address: Record<string, string> }[];
    body.data['items'] = ['Рівненська область', 'Тернопільська область'].map((region) => ({
      ...item,
      id: undefined,
      address: { ...item?.address, region },
    }));
    (body.data['assetCustodian'] as { address: object }).address = {
      countryName: 'Україна',
      region: 'Сумська область',
    };
    const owned = await createFrom(registry, body);
    await change(registry, owned, { status: 'pending' });
    for (const region of ['Рівненська область', 'Тернопільська область'])
      expect(await search.ids({ region, assetType: 'compound' })).toEqual([owned.id]);
    expect(await search.ids({ region: 'Сумська область' })).toEqual([]);
    expect((await search.search.choices()).regions).toContain('Тернопільська область');
  });

  it('tells the regions, the most frequent first, as long as an asset has them', async () => {
    const asked = await published('address.region', 'Рідкісна');
    await search.found({});
    const before = (await search.search.choices()).regions;
    expect(before[0]).toBe('м. Київ');
    expect(before).toContain('Рідкісна');
    await change(registry, asked, { address: { region: 'м. Київ' } });
    await search.found({});
    expect((await search.search.choices()).regions).not.toContain('Рідкісна');
  });

  it.each([
    '"',
    '*',
    'NEAR(а б)',
    'OR NOT',
    'title:',
    'a\0b',
    '"w:зем" OR',
    '\ud800',
    '; DROP TABLE',
    'а б '.repeat(5_000),
    '\ufdfa'.repeat(10_000),
    '-а'.repeat(5_000),
  ])('takes a hostile text as text (%#)', async (text) => {
    expect(await search.found({ text })).toMatchObject({ hits: [], isComplete: true });
    expect(await search.found({ text: 'космодром', region: text })).toMatchObject({ hits: [], isComplete: true });
    expect(search.search.isOn).toBe(true);
  });
});
