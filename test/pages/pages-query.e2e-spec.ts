import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, change, createFrom, assetBody, createIn, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { newFolder } from '../support/new-folder.js';
import { type Reply, TestRegistry, zoneAtNoon } from '../support/registry.js';
import { attributes, isIndexIncomplete, linksOf, listedOn, textOf } from '../support/shown-page.js';

const COUNT = 30;
const PRICED = { currency: 'UAH', amount: 0, valueAddedTaxIncluded: true };
const regions = (count: number): string => Array.from({ length: count }, (_, i) => `region=${i}`).join('&');
const BROWSER = { Accept: 'text/html', 'Accept-Language': 'en' };

describe.each(embedded)('views of one query on $name', (kind) => {
  const folder = newFolder();
  let registry: TestRegistry;
  /** The registry of tests that publish, because tests of the other one count assets. */
  let growing: TestRegistry;
  let deleted: Owned;
  let complete: Owned;

  const publishAt = async (region: string, amount: number, title: string): Promise<Owned> => {
    const { data } = assetBody({ title, value: { ...PRICED, amount } });
    const owned = await createFrom(registry, { data: { ...data, address: { countryName: 'Україна', region } } });
    await change(registry, owned, { status: 'pending' });
    return owned;
  };

  beforeAll(async () => {
    const env = { SEARCH_INDEX: join(folder, 'search.sqlite'), TIME_ZONE: zoneAtNoon() };
    registry = await TestRegistry.start(kind, env);
    growing = await TestRegistry.start(kind, { SEARCH_INDEX: join(folder, 'growing.sqlite') });
    for (let i = 1; i <= COUNT; i++) await publishAt('Київська область', (i * 37) % 11, `Ангар ${i}`);
    await publishAt('м. Київ', 500, 'Вежа');
    await createIn(registry, 'active');
    complete = await createIn(registry, 'complete');
    deleted = await createIn(registry, 'deleted');
    await indexed(registry);
  });
  afterAll(async () => {
    await registry?.stop();
    await growing?.stop();
  });

  const visit = (path: string, site = registry): Promise<Reply> => site.send(path, { headers: BROWSER });
  const pageAt = async (path: string, site = registry): Promise<string> => {
    const { status, text } = await visit(path, site);
    expect([path, status]).toEqual([path, 200]);
    return isIndexIncomplete(text) ? pageAt(path, site) : text;
  };
  /** Waits until the index has everything that was published. */
  const indexed = (site: TestRegistry): Promise<unknown> => pageAt('/?q=nothing', site);
  /** A page and those after it. */
  const allFrom = async (path: string): Promise<string[]> => {
    const page = await pageAt(path);
    const [next] = linksOf(page, 'next');
    return [...listedOn(page), ...(next === undefined ? [] : await allFrom(next))];
  };
  const link = (page: string, text: string): string => {
    const tag = [...page.matchAll(/<a\s[^>]*>[\s\S]*?<\/a\s*>/g)].find(([one]) => textOf(one).startsWith(text));
    expect([text, tag]).not.toEqual([text, undefined]);
    return attributes(tag?.[0] as string, 'href')[0] as string;
  };
  const choicesOf = (page: string, name: string): string[] => {
    const [field = ''] = new RegExp(`<select id="${name}"[\\s\\S]*?</select>`).exec(page) ?? [];
    return [...field.matchAll(/<option\b[^>]*>([^<]*)/g)].map(([, label]) => label as string);
  };
  /** The values that selects would send. */
  const selectedIn = (page: string): string[] =>
    [...page.matchAll(/<option(?: value="([^"]*)")?\s+selected>([^<]*)/g)].map(([, value, label]) =>
      String(value ?? label),
    );
  const titleOf = (page: string): string => textOf(/<title>([\s\S]*?)<\/title>/.exec(page)?.[1] as string);

  it.each([
    'q=ангар',
    'status=pending&region=київ&sort=dateModified',
    'currency=UAH&valueFrom=3&valueTo=7&sort=-value',
    'custodian=00037256&classification=CAV&owner=broker&modifiedFrom=2001-01-01&modifiedTo=2101-01-01',
    'custodian=1',
  ])('the page for %s lists what the API finds, in its order', async (query) => {
    const { data } = (await registry.send(`${ASSETS}/search?${query}&opt_fields=assetID&limit=1000`)).json;
    const numbers = data.map(({ assetID }: { assetID: string }) => assetID);
    expect(await allFrom(`/?${query}`)).toEqual(numbers);
    expect(textOf(await pageAt(`/?${query}`))).toContain(`Found: ${numbers.length}`);
  });

  it('shows what is available now, says how many, and everything is one click away', async () => {
    const page = await pageAt('/');
    const text = textOf(page);
    expect(text).toContain(`Found: ${COUNT + 2} `);
    expect(text).toContain(`Available now: ${COUNT + 2} Everything: ${COUNT + 4}`);
    expect(text).toContain('Find property by its title');
    expect(await allFrom('/')).not.toContain(deleted.asset.assetID);
    const everything = link(page, 'Everything');
    expect(await allFrom(everything)).toHaveLength(COUNT + 4);
    expect(textOf(await pageAt(everything))).toContain(`Found: ${COUNT + 4}`);
    expect(link(await pageAt(everything), 'Available now')).toBe('/');
  });

  it('keeps the state and the order on the way from page to page and back', async () => {
    const first = await pageAt('/?sort=value&currency=UAH&q=ангар');
    const second = await pageAt(linksOf(first, 'next')[0] as string);
    expect(linksOf(first, 'prev')).toEqual([]);
    expect(listedOn(second)).toHaveLength(COUNT - 20);
    const back = await pageAt(linksOf(second, 'prev')[0] as string);
    expect(listedOn(back)).toEqual(listedOn(first));
    expect(linksOf(back, 'prev')).toEqual([]);
  });

  it('has links with counts that add or remove a state, a type or a region', async () => {
    const page = await pageAt('/');
    const facets = /<nav id="facets"[\s\S]*?<\/nav>/.exec(page)?.[0] as string;
    expect(textOf(facets)).toBe(
      `State: Published ${COUNT + 1} In a lot 1 Sold 1 Withdrawn 1 Type: Property item ${COUNT + 2} Region: Kyiv region ${COUNT} Kyiv 2`,
    );
    const city = await pageAt(link(facets, 'Kyiv 2'));
    expect(listedOn(city)).toHaveLength(2);
    expect(textOf(city)).toContain(`Kyiv region ${COUNT} Kyiv 2 ×`);
    expect(await allFrom(link(city, 'Kyiv region'))).toHaveLength(COUNT + 2);
    expect(await allFrom(link(city, 'Kyiv 2'))).toHaveLength(COUNT + 2);
    expect(listedOn(await pageAt(link(facets, 'Withdrawn')))).toEqual([deleted.asset.assetID]);
  });

  it.each([
    ['uk', 'Уся Україна', 'Львівська область', 'м. Київ'],
    ['en', 'All regions', 'Lviv region', 'Kyiv'],
  ])(
    'offers the 27 regions of Ukraine in the language of the page, and those of others: %s',
    async (lang, ...names) => {
      const page = await pageAt(`/?status=any-state&lang=${lang}`);
      const offered = choicesOf(page, 'region');
      expect(offered).toHaveLength(1 + 27);
      expect(offered).toEqual(expect.arrayContaining(names));
      await publish(growing, { address: { countryName: 'Польща', region: 'Мазовецьке воєводство' } });
      await publish(growing, { address: { countryName: 'Україна', region: 'Львів. обл.' } });
      const others = choicesOf(await pageAt(`/?status=any-state&lang=${lang}`, growing), 'region');
      expect(others).toEqual(expect.arrayContaining([...names, 'Мазовецьке воєводство']));
      expect(others).not.toContain('Львів. обл.');
    },
  );

  it.each(['Lviv region', 'Львів. обл.', 'ЛЬВІВЩИНА'])(
    'shows a region as it is called, where a link says %s',
    async (region) => {
      const path = `/?status=any-state&region=${encodeURIComponent(region)}`;
      expect(selectedIn(await pageAt(path))).toContain('Lviv region');
      expect(selectedIn(await pageAt(`${path}&lang=uk`))).toContain('Львівська область');
    },
  );

  it('has a link that removes a chosen region, although many others are more frequent', async () => {
    const publishIn = (region: string): Promise<Owned> =>
      publish(growing, { address: { countryName: 'Україна', region } });
    for (let i = 0; i < 12; i++) for (let j = 0; j < 2; j++) await publishIn(`Велика область ${i}`);
    await publishIn('Мала область');
    const page = await pageAt('/?q=&region=Мала+область&status=available-now', growing);
    expect(textOf(page)).toContain('Мала область 1 ×');
  });

  it('replaces available-now, which the form sends, by a chosen state', async () => {
    const page = await pageAt('/?q=ангар&status=available-now&region=&sort=');
    expect(listedOn(page)).toHaveLength(20);
    expect(/<nav id="facets"[\s\S]*?<\/nav>/.exec(page)?.[0]).not.toContain('×');
    expect(link(page, 'Published')).toBe('/?q=%D0%B0%D0%BD%D0%B3%D0%B0%D1%80&status=pending');
  });

  it('finds an asset by its whole number in any state, also by the untouched form', async () => {
    for (const number of [complete.asset.assetID, complete.id])
      expect(await allFrom(`/?q=${number}&status=available-now`)).toEqual([complete.asset.assetID]);
    expect(await allFrom(`/?q=${complete.asset.assetID}&status=pending`)).toEqual([]);
  });

  it('links to all states if only they have hits, without advice about words', async () => {
    const none = await pageAt('/?q=вежа&status=complete&region=Київ');
    expect(textOf(none)).toContain('Nothing like this is in the chosen state. In all states: 1');
    expect(await allFrom(link(none, 'In all states'))).toHaveLength(1);
    expect(textOf(none)).not.toContain('Nothing was found');
    const { assetID } = complete.asset;
    const late = await pageAt(`/?q=${assetID.slice(-6)}&status=available-now&lang=uk`);
    expect(textOf(late)).toContain('Зараз такого не пропонують. В усіх станах: 1');
    expect(await allFrom(link(late, 'В усіх станах'))).toEqual([assetID]);
  });

  it('offers the same query as JSON, as tables and as an Atom feed', async () => {
    const page = await pageAt('/?q=вежа&status=pending&sort=value');
    const [json, atom] = [link(page, 'JSON'), link(page, 'Atom')];
    expect((await registry.send(json)).json.total).toBe(1);
    expect(link(page, 'CSV (table)')).toBe(`${json.replace('/search?', '/search.csv?')}&bom=1`);
    expect(link(page, 'Excel')).toBe(`${json.replace('/search?', '/search.xlsx?')}&lang=en`);
    expect((await registry.send(link(page, 'Excel'))).status).toBe(200);
    const { status, text } = await registry.send(atom);
    expect([status, text.split('<entry>').length]).toEqual([200, 2]);
    expect(page).toContain(`href="${atom.replaceAll('&', '&amp;')}"`);
  });

  it('has no table of a draft or a past state', async () => {
    const { data } = assetBody({});
    const draft = await createFrom(registry, { data });
    const past = `/assets/${complete.asset.assetID}?at=${encodeURIComponent(String(complete.asset['dateModified']))}`;
    for (const path of [`/assets/${draft.id}`, past])
      expect(attributes((await visit(path)).text, 'href').filter((href) => /csv|\?q=/.test(href))).toEqual([]);
  });

  it('has the conditions in its title', async () => {
    expect(titleOf(await pageAt('/'))).toBe('Asset registry');
    const title = titleOf(await pageAt('/?q=вежа&status=pending&region=Київ&valueFrom=5&owner=broker'));
    expect(title).toBe('вежа, Published, Kyiv, Price from 5.00 UAH, Broker broker · Asset registry');
    expect(titleOf(await pageAt('/?q=вежа&status=available-now'))).toBe('вежа, Available now · Asset registry');
  });

  it('ignores unknown parameters and empty fields', async () => {
    const query = 'utm_source=news&q=&status=&assetType=&valueFrom=&currency=&modifiedTo=&sort=&fbclid=1';
    expect(await allFrom(`/?${query}`)).toEqual(await allFrom('/'));
  });

  it('accepts a price as people write it, in the usual currency', async () => {
    const tower = listedOn(await pageAt('/?q=вежа'));
    const written = ['valueFrom=499,50&valueTo=1+000', 'valueFrom=499 грн.&valueTo=1,000.50', 'valueFrom=499₴'];
    const short = ['valueFrom=0,49 тис', 'valueFrom=₴499&valueTo=1 million', 'valueTo=0,5 тис. грн&valueFrom=0.499k'];
    for (const query of [
      ...written,
      ...short,
      'valueFrom=499&valueTo=50\u00a0000 гривень',
      'valueTo=500 гривні&valueFrom=499',
    ])
      expect([query, listedOn(await pageAt(`/?${query}`))]).toEqual([query, tower]);
  });

  it.each([
    ['valueFrom=cheap', 'valueFrom', 'Enter an amount, such as'],
    ['valueTo=1,250', 'valueTo', 'A comma or a point before three digits may mean thousands or a fraction'],
    ['valueTo=1,250 млн', 'valueTo', 'A comma or a point before three digits may mean thousands or a fraction'],
    ['valueTo=1.250', 'valueTo', 'A comma or a point before three digits may mean thousands or a fraction'],
    ['valueFrom=₴100&currency=USD', 'valueFrom', 'The amount is in hryvnias, and another currency is chosen'],
    ['valueFrom=100 грн&currency=USD', 'valueFrom', 'The amount is in hryvnias, and another currency is chosen'],
    ['modifiedTo=2026-02-30', 'modifiedTo', 'Enter a date, such as'],
    ['relatedLot=1', 'relatedLot', 'Enter the id of a lot: 24 to 32 characters'],
    ['classification=:', 'classification', 'Enter a scheme, the beginning of a code, or both'],
    ['sort=price', 'sort', 'There is no such order'],
    ['status=sold', 'status', 'There is no such state'],
    ['type=ship', 'assetType', 'There is no such type'],
    ['currency=hryvnia', 'currency', 'Enter a currency code'],
  ])('answers %s with the form as it was filled in, and the error at the field', async (query, name, sentence) => {
    const { status, headers, text } = await visit(`/?q=вежа&${query}&region=Київ&custodian=1&lang=en`);
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    const [field] = new RegExp(`<(?:input|select)\\s[^>]*id="${name}"[^>]*>`).exec(text) ?? [];
    expect(field).toMatch(new RegExp(`aria-invalid="true" aria-describedby="${name}-rule"`));
    expect(textOf(new RegExp(`<p class="rule" id="${name}-rule">([^<]*)`).exec(text)?.[1] as string)).toContain(
      sentence,
    );
    expect(attributes(text, 'aria-invalid')).toHaveLength(1);
    const typed = new URLSearchParams(query).values().next().value as string;
    if (field?.startsWith('<select')) expect(selectedIn(text)).toContain(typed);
    else expect(text).toContain(`value="${typed}"`);
    for (const other of ['вежа', '1']) expect(text).toContain(`value="${other}"`);
    expect(selectedIn(text)).toContain('Kyiv');
    expect(text).toContain('<details class="conditions"  open');
    expect(text).toContain('>Kyiv region</option>');
    expect(text).not.toContain('type="hidden" name="value');
    expect(headers.get('content-language')).toBe('en');
    expectError(await registry.send(`/?${query}`), 400, 'header', name);
  });

  it.each([
    ['status=pending&status=bogus', 'status', 'bogus', 'pending'],
    ['type=basic&assetType=ship', 'assetType', 'ship', 'basic'],
  ])('shows the unknown value of %s in the form, and keeps the others', async (query, name, wrong, kept) => {
    const { status, text } = await visit(`/?${query}`);
    const [field = ''] = new RegExp(`<select\\s[^>]*id="${name}"[\\s\\S]*?</select>`).exec(text) ?? [];
    expect([status, attributes(text, 'aria-invalid').length]).toEqual([400, 1]);
    expect(selectedIn(field)).toEqual([wrong]);
    expect(text).toContain(`<input type="hidden" name="${name}" value="${kept}"`);
  });

  it('chooses no state when a price is corrected', async () => {
    expect(selectedIn((await visit('/?valueFrom=abc')).text)).toContain('any-state');
    expect(await pageAt('/?valueFrom=10')).toContain('<input type="hidden" name="status" value="any-state" />');
  });

  it('shows the errors of all fields at once, in the language of the reader', async () => {
    const { status, text } = await visit('/?q=вежа&status=pending&valueFrom=дешево&modifiedTo=завтра&lang=uk');
    expect([status, titleOf(text)]).toEqual([400, 'Виправте умови пошуку · Реєстр майна']);
    expect(textOf(text)).toContain('Ціна від Вкажіть суму, наприклад 50 000, 1250,50 або 1,5 млн.');
    expect(textOf(text)).toContain('Змінено до (не включно) Вкажіть дату, наприклад 23.11.2026.');
    expect(attributes(text, 'href')).toEqual(expect.arrayContaining(['#valueFrom', '#modifiedTo']));
    expect(selectedIn(text)).toContain('pending');
    expect(listedOn(await pageAt(link(text, 'Те саме без цих умов')))).toHaveLength(1);
    const { errors } = (await registry.send('/?valueFrom=дешево&modifiedTo=завтра')).json;
    expect(errors.map(({ name }: { name: string }) => name)).toEqual(['valueFrom', 'modifiedTo']);
  });

  it.each([
    ['sort=value&offset=5', 'offset', 'There is no such position in the list'],
    ['q=a&q=b', 'q', 'Only one value is allowed here, and there are several'],
    ['offset=2020-01-01&offset=2020-01-01', 'offset', 'Only one value is allowed here, and there are several'],
    [`${regions(30)}&valueFrom=10`, 'valueFrom', 'At most 30 conditions are allowed'],
  ])('answers %s with a page that says what is wrong', async (query, name, sentence) => {
    const { status, headers, text } = await visit(`/?${query}`);
    expect([status, headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(textOf(text)).toContain(`400 ${name}`);
    expect(textOf(text)).toContain(sentence);
    expect(textOf(text)).not.toContain('A number from zero');
    expect(headers.get('content-language')).toBe('en');
    expectError(await registry.send(`/?${query}`), 400, 'header', name);
  });

  it.each(['31.01.2001', '31.1.2001', '31.01.2001 р.'])(
    'takes a day as people write it (%s), and shows it in the field',
    async (written) => {
      const page = await pageAt(`/?q=вежа&modifiedFrom=${encodeURIComponent(written)}&modifiedTo=2101-01-31T00:00`);
      expect(listedOn(page)).toHaveLength(1);
      expect(page).toContain('name="modifiedFrom" type="date" value="2001-01-31"');
      expect(page).toMatch(/name="modifiedTo"\s+value="2101-01-31T00:00"/);
    },
  );

  it('drops further regions with the first, which the form shows', async () => {
    expect(await pageAt('/?region=Київ&region=Львів')).not.toContain('type="hidden" name="region"');
  });

  it('suggests similar regions, and the words in all fields, if a region is unknown', async () => {
    const page = await pageAt('/?region=Київьска+область&status=pending');
    expect(listedOn(page)).toEqual([]);
    expect(await allFrom(link(page, 'Kyiv region'))).toHaveLength(COUNT);
    expect(await allFrom(link(await pageAt('/?region=Вежа'), 'Вежа'))).toHaveLength(1);
    expect(await pageAt('/?region=Київ&q=немаєтакого')).not.toContain('id="similar"');
  });

  it.each([
    ['Vezha', 'Вежа'],
    ['vezha in Kyiv', 'вежа Київ'],
    ['Kiev vezha', 'м. Київ вежа'],
  ])('searches for the Ukrainian spelling of %s if nothing has these letters, and says so', async (typed, text) => {
    const page = await pageAt(`/?q=${encodeURIComponent(typed)}`);
    expect(listedOn(page)).toHaveLength(1);
    expect(textOf(page)).toContain(`Nothing was found for ${typed} . These are the results for ${text} .`);
    // Links of the page have the Ukrainian words.
    expect(new URL(link(page, 'CSV'), 'http://registry.example').searchParams.get('q')).toBe(text);
    const { json } = await registry.send(`/api/0.1/assets/search?q=${encodeURIComponent(typed)}`);
    expect(json.total).toBe(0);
  });

  it('finds nothing for Latin letters without a Ukrainian match', async () => {
    const page = await pageAt('/?q=Vezha+hotel');
    expect(listedOn(page)).toEqual([]);
    expect(page).toContain('value="Vezha hotel"');
  });

  it('shows times to the minute, for programs too', async () => {
    const times = [...(await pageAt('/')).matchAll(/<time datetime="([^"]*)">([^<]*)<\/time>/g)];
    expect(times).toHaveLength(21);
    for (const [, instant, shown] of times) {
      expect(instant).toMatch(/T\d\d:\d\d[+-]\d\d:\d\d$/);
      expect(shown).toMatch(/\d\d:\d\d$/);
      expect(shown).not.toMatch(/:\d\d:|[+-]\d\d:/);
    }
  });

  describe('as an Atom feed', () => {
    const atom = async (query: string): Promise<string[]> => {
      const { status, text } = await registry.send(`/changes.atom?${query}`);
      expect([query, status]).toEqual([query, 200]);
      return [...text.matchAll(/<link rel="alternate" type="text\/html" href="[^"]*\/assets\/([^"?]*)/g)].map(
        ([, number]) => number as string,
      );
    };

    it.each(['q=вежа', 'region=Київ&status=active', 'q=немаєтакого'])('has what fits %s, newest first', async (query) =>
      expect(await atom(query)).toEqual(await allFrom(`/?${query}`)),
    );

    it('supports the language and filters, has its own id, and is 304 while unchanged', async () => {
      await publish(growing, { title: 'Вежа' });
      await indexed(growing);
      const path = '/changes.atom?q=вежа&lang=en';
      const { headers, text } = await growing.send(path);
      const whole = (await growing.send('/changes.atom?lang=en')).text;
      const idOf = (feed: string): string | undefined => /<id>([^<]*)<\/id>/.exec(feed)?.[1];
      expect(idOf(text)).not.toBe(idOf(whole));
      expect(text).toContain('<title>Asset registry: вежа</title>');
      const again = { headers: { 'If-None-Match': headers.get('etag') as string } };
      await publish(growing, { title: 'Дзвіниця' });
      await indexed(growing);
      expect((await growing.send(path, again)).status).toBe(304);
      await publish(growing, { title: 'Інша вежа' });
      await indexed(growing);
      expect((await growing.send(path, again)).status).toBe(200);
    });

    it.each([
      ['offset=x', 'offset'],
      ['utm_source=x', 'utm_source'],
      ['stauts=pending', 'stauts'],
      ['valueFrom=1', 'valueFrom'],
      ['sort=value', 'sort'],
      ['limit=5', 'limit'],
    ])('refuses %s: a filter that is ignored gives wrong results', async (query, name) => {
      expectError(await registry.send(`/changes.atom?${query}`), 400, 'header', name);
    });
  });

  it('links to the statistics of the same search, which read the query alike and link back', async () => {
    const page = async (path: string): Promise<string> => (await registry.send(path, { headers: BROWSER })).text;
    const query = 'currency=UAH&status=available-now&lang=en';
    const list = await page(`/?${query}&sort=value&valueFrom=&utm_source=x`);
    expect(attributes(list, 'href')).toContain(`/statistics?${query}`);
    const statistics = await page(`/statistics?${query}&utm_source=x&valueTo=`);
    expect(textOf(statistics)).toContain('Search: UAH, Available now');
    expect(attributes(statistics, 'href')).toEqual(
      expect.arrayContaining([`/?${query}`, '/statistics?lang=en', '/?currency=UAH&status=pending&lang=en']),
    );
    const [, total] = /Search results: ([\d,]+)/.exec(textOf(statistics)) ?? [];
    expect(textOf(list)).toContain(`Found: ${total}`);
    expect(await page('/statistics?lang=en')).not.toContain('Search results');
    const refused = await registry.send('/statistics?valueFrom=cheap&lang=en', { headers: BROWSER });
    expect([refused.status, textOf(refused.text).includes('Correct the conditions')]).toEqual([400, true]);
  });

  it('is the plain feed if the search is off, and a feed with filters is 503', async () => {
    await TestRegistry.during(kind, {}, async (other) => {
      const owned = await createIn(other, 'deleted');
      const { text } = await other.send('/', { headers: BROWSER });
      expect(listedOn(text)).toEqual([owned.asset.assetID]);
      expect(textOf(text)).not.toMatch(/Available now|Find property/);
      expect(attributes(text, 'href')).not.toContain('/statistics');
      const newer = await createIn(other, 'deleted');
      const byAge = await other.send('/?sort=dateModified', { headers: BROWSER });
      expect(listedOn(byAge.text)).toEqual([newer.asset.assetID, owned.asset.assetID]);
      const numbers = await other.send('/statistics', { headers: BROWSER });
      expect([numbers.status, textOf(numbers.text).includes('Search is switched off on this server')]).toEqual([
        503,
        true,
      ]);
      expect((await other.send('/changes.atom?status=deleted')).status).toBe(503);
      expect((await other.send('/changes.atom')).status).toBe(200);
    });
  });

  it('has a table and a feed of one asset, linked from its page', async () => {
    const { asset } = await createIn(growing, 'complete');
    await publish(growing, { title: `Замість ${asset.assetID}` });
    await indexed(growing);
    const page = await pageAt(`/assets/${asset.assetID}?lang=en`, growing);
    const [, ...rows] = (await growing.send(link(page, 'CSV (table)'))).text.trimEnd().split('\r\n');
    expect(rows.map((row) => row.split(',')[1])).toEqual([asset.assetID]);
    const atom = link(page, 'Changes of this asset (Atom)');
    const feed = (await growing.send(atom)).text;
    expect(
      [...feed.matchAll(/<link rel="alternate" [^>]*href="([^"?]*\/assets\/[^"?]*)/g)].map(([, url]) => url),
    ).toEqual([`${growing.url}/assets/${asset.assetID}`]);
    expect(attributes(/<head>[\s\S]*<\/head>/.exec(page)?.[0] as string, 'href')).toContain(atom);
  });
});
