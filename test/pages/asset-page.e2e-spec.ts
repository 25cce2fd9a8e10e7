import { describe, expect, it } from '@jest/globals';
import claimRights from '../../src/asset-types/claim-rights/claim-rights.example.json' with { type: 'json' };
import { ASSETS, change, changeAs, create, createFrom, createIn, LOT, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { attributes, linksOf, textOf } from '../support/shown-page.js';

const DAY = /\d{1,2} [A-Z][a-z]+ \d{4}/.source;
const hryvnias = (amount: number): object => ({ value: { currency: 'UAH', amount } });

describe.each(embedded)('the page of an asset on $name', (kind) => {
  const registry = servedRegistry(kind);

  const visit = (path: string, headers: Record<string, string> = {}, site = registry): Promise<Reply> =>
    site.send(path, { headers: { Accept: 'text/html', 'Accept-Language': 'en', ...headers } });
  const pathOf = ({ asset }: Owned): string => `/assets/${asset.assetID}`;
  const partOf = (page: string, id: string): string =>
    textOf(new RegExp(`<(\\w+) id="${id}"[^>]*>[\\s\\S]*?</\\1>`).exec(page)?.[0] ?? '');
  const instantsOf = async ({ id }: Owned): Promise<string[]> => {
    const { json } = await registry.send(`${ASSETS}/${id}/history?limit=1000`);
    return json.data.map(({ dateModified }: { dateModified: string }) => dateModified);
  };

  describe('shows its states in one line', () => {
    it('with past states and their days, the present state and the next ones', async () => {
      const { text } = await visit(pathOf(await createIn(registry, 'active')));
      expect(partOf(text, 'life')).toMatch(new RegExp(`^Published ${DAY} In a lot now, since ${DAY} Sold$`));
      expect(text).toMatch(/<li aria-current="step">\s*<span class="pill taken">In a lot</);
    });

    it('by the states of its asset type', async () => {
      const owned = await createFrom(registry, claimRights);
      await change(registry, owned, { status: 'pending' });
      await changeAs(registry, 'concierge', owned.id, { status: 'verification' });
      const { text } = await visit(pathOf(owned));
      const present = `Being verified now, since ${DAY}`;
      expect(partOf(text, 'life')).toMatch(new RegExp(`^Published ${DAY} ${present} In a lot Sold$`));
    });

    it('without the states that it returned from', async () => {
      const owned = await createIn(registry, 'active');
      await changeAs(registry, 'concierge', owned.id, { status: 'pending' });
      const { text } = await visit(pathOf(owned));
      expect(partOf(text, 'life')).toMatch(new RegExp(`^Published now, since ${DAY} In a lot Sold$`));
    });

    it.each([
      ['deleted', `Published ${DAY} Withdrawn now, since ${DAY}`],
      ['draft', 'Draft Published In a lot Sold'],
    ])('also of one that is %s', async (status, line) => {
      const { id } = await createIn(registry, status);
      expect(partOf((await visit(`/assets/${id}`)).text, 'life')).toMatch(new RegExp(`^${line}$`));
    });
  });

  it('has the lot as text, or as a link where LOT_URL is set', async () => {
    const active = await createIn(registry, 'active');
    expect((await visit(pathOf(active))).text).toContain(`id="lot">${LOT}<`);
    await TestRegistry.during(kind, { LOT_URL: 'https://lots.example/{id}?from=registry' }, async (site) => {
      const { text } = await visit(pathOf(await createIn(site, 'active')), {}, site);
      expect(attributes(text, 'href')).toContain(`https://lots.example/${LOT}?from=registry`);
    });
  });

  it('names the earlier price and the day on which it was lowered', async () => {
    const owned = await publish(registry, hryvnias(1_500_000) as never);
    expect(partOf((await visit(pathOf(owned))).text, 'lowered')).toBe('');
    await change(registry, owned, hryvnias(1_200_000) as never);
    await change(registry, owned, { title: 'Інша назва' });
    const { text } = await visit(pathOf(owned));
    expect(partOf(text, 'lowered')).toMatch(new RegExp(`^Lowered from 1,500,000.00 UAH , ${DAY}$`));
    await change(registry, owned, hryvnias(1_300_000) as never);
    expect(partOf((await visit(pathOf(owned))).text, 'lowered')).toBe('');
  });

  describe('leads back to the list', () => {
    it('from which the visitor came, with the conditions that he chose, in his language', async () => {
      const path = pathOf(await publish(registry));
      const from = `${registry.url}/?q=земля&status=pending&acc_token=secret&other=1`;
      const came = await visit(path, { Referer: encodeURI(from) });
      expect(attributes(came.text, 'href')).toContain(`/?q=${encodeURIComponent('земля')}&status=pending`);
      expect(textOf(came.text)).toContain('← Back to the results');
      expect(came.text).not.toContain('secret');
      expect(came.headers.get('vary')).toContain('Referer');
      const inUkrainian = await visit(`${path}?lang=uk`, { Referer: encodeURI(from) });
      expect(attributes(inUkrainian.text, 'href')).toContain(
        `/?q=${encodeURIComponent('земля')}&status=pending&lang=uk`,
      );
    });

    it.each(['', '/', '/statistics?status=pending', 'https://elsewhere.example/?q=1', `/?q=${'я'.repeat(200)}`])(
      'without conditions where he came from "%s"',
      async (from) => {
        const headers: Record<string, string> = from === '' ? {} : { Referer: new URL(from, registry.url).href };
        const { text } = await visit(pathOf(await publish(registry)), headers);
        expect(textOf(text)).toContain('← List of assets');
        expect(text).not.toMatch(/elsewhere|%D1%8F/);
      },
    );
  });

  describe('of a day', () => {
    it('is its state at the end of the day', async () => {
      const owned = await publish(registry, { title: 'Зранку' });
      await change(registry, owned, { title: 'Увечері' });
      const [, last = ''] = await instantsOf(owned);
      const { text } = await visit(`${pathOf(owned)}?at=${last.slice(0, 10)}`);
      expect(text).toContain('<h1><bdi>Увечері</bdi></h1>');
      expect(text).toContain(`value="${last.slice(0, 10)}"`);
      expect(textOf(text)).toContain('Nothing has changed since then');
    });

    it('is requested by a form without a script, which keeps the language', async () => {
      const owned = await publish(registry);
      const { text } = await visit(`${pathOf(owned)}?lang=uk`);
      const form = /<form id="day"[\s\S]*?<\/form>/.exec(text)?.[0] as string;
      expect(attributes(form, 'action')).toEqual([pathOf(owned)]);
      expect(form).toContain('<input type="hidden" name="lang" value="uk" />');
      expect((await visit(`${pathOf(owned)}?at=`)).text).toContain('id="timeline"');
    });

    it.each(['2026-02-31', '2026-13-01', '9999-12-31', '0000-01-01'])('is refused or answered: %s', async (day) => {
      const { status } = await visit(`${pathOf(await publish(registry))}?at=${day}`);
      expect(status).toBe(/02-31|13-01|0000/.test(day) ? (day.startsWith('0000') ? 404 : 400) : 200);
    });
  });

  it('of the past has a table of differences: field, then, now', async () => {
    const owned = await publish(registry, { ...hryvnias(100), description: 'Стара' } as never);
    const [then = ''] = await instantsOf(owned);
    await change(registry, owned, { ...hryvnias(250), description: 'Нова' } as never);
    await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT });
    const { text } = await visit(`${pathOf(owned)}?at=${encodeURIComponent(then)}`);
    const table = textOf(/<table class="differences">[\s\S]*?<\/table>/.exec(text)?.[0] ?? '');
    expect(table).toContain('Field Then Now State Published In a lot Related lot — ' + LOT);
    expect(table).toContain('Description Стара Нова');
    expect(table).toContain('Value 100.00 UAH , VAT included 250.00 UAH , VAT included');
  });

  describe('with many changes of a price', () => {
    const changed = async (): Promise<Owned> => {
      const owned = await publish(registry, hryvnias(1_000) as never);
      for (let i = 1; i <= 12; i++) await change(registry, owned, hryvnias(1_000 + i) as never);
      await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT });
      await changeAs(registry, 'concierge', owned.id, { status: 'pending' });
      for (let i = 13; i <= 20; i++) await change(registry, owned, hryvnias(1_000 + i) as never);
      return owned;
    };

    it('gathers them in its history, which has the publication and every move', async () => {
      const { text } = await visit(pathOf(await changed()));
      const history = /<ol id="timeline">[\s\S]*?<\/ol>/.exec(text)?.[0] as string;
      const pills = [...history.matchAll(/<span class="pill \w+">([^<]+)</g)].map(([, state]) => state);
      expect(pills).toEqual(['Published', 'In a lot', 'Published']);
      const seen = textOf(history);
      expect(seen).toMatch(/Changes in a row: 8 Value: 1,012.00 UAH , VAT included → 1,020.00 UAH/);
      expect(seen).toMatch(/Changes in a row: 12 Value: 1,000.00 UAH , VAT included → 1,012.00 UAH/);
    });

    it.each(['uk', 'en'])('has each of them on the pages of its whole history (%s)', async (lang) => {
      const owned = await changed();
      const all = await instantsOf(owned);
      const seen: string[] = [];
      let path: string | undefined = `${pathOf(owned)}/history?lang=${lang}`;
      while (path !== undefined) {
        const { status, text } = await visit(path);
        expect(status).toBe(200);
        expect(linksOf(text, 'prev')).toEqual(seen.length === 0 ? [] : [`${pathOf(owned)}/history?lang=${lang}`]);
        const list = /<ol id="timeline">[\s\S]*?<\/ol>/.exec(text)?.[0] as string;
        if (lang === 'en' && seen.length === 0)
          expect(textOf(list)).toContain('Value: 1,019.00 UAH , VAT included → 1,020.00 UAH , VAT included');
        seen.push(...attributes(list, 'title'));
        path = linksOf(text, 'next')[0];
      }
      expect(seen).toEqual(all.toReversed());
    });
  });

  it('and its history are missing for a draft', async () => {
    const { id } = await create(registry);
    const { status, headers } = await visit(`/assets/${id}/history`);
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expectError(await registry.send(`/assets/${id}/history`), 404, 'header', 'id');
    expectError(await registry.send('/assets/x/history'), 404, 'header', 'id');
    const owned = await publish(registry);
    expectError(await registry.send(`${pathOf(owned)}/history?offset=yesterday`), 400, 'header', 'offset');
    expect((await visit(`${pathOf(owned)}/history?offset=2001-01-01`)).text).not.toContain('id="timeline"');
    expect((await visit(`${pathOf(owned)}/history/`)).headers.get('location')).toBe(`${pathOf(owned)}/history`);
  });
});
