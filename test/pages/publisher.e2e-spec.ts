import { describe, expect, it } from '@jest/globals';
import { type JsonObject, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { newLogKey } from '../../src/log/log-keys.js';
import type { Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { attributes, textOf } from '../support/shown-page.js';

const PUBLISHER = {
  PUBLISHER_NAME: 'Агенція <b>«Майно»</b>',
  PUBLISHER_NAME_EN: 'Property Agency',
  PUBLISHER_URL: 'https://agency.example/',
  PUBLISHER_CONTACT: 'registry@agency.example',
  LICENCE: 'CC-BY-4.0',
  TERMS_URL: 'https://agency.example/terms',
  UPDATE_FREQUENCY: 'continuous',
};
const JSON_LD = /<script type="application\/ld\+json">([^<]*)<\/script>/;

describe.each(embedded)('who answers for a registry on $name', (kind) => {
  const named = servedRegistry(kind, PUBLISHER);
  const unnamed = servedRegistry(kind);
  const visit = (path: string, language = 'en', site = named): Promise<Reply> =>
    site.send(path, { headers: { Accept: 'text/html', 'Accept-Language': language } });
  const dataOf = async (language: string, site = named): Promise<JsonObject> => {
    const [, json = ''] = JSON_LD.exec((await visit('/', language, site)).text) ?? [];
    return JSON.parse(json) as JsonObject;
  };

  it('is in the footer of every page, in the language of the page', async () => {
    const { asset } = await publish(named);
    for (const path of ['/', `/assets/${asset.assetID}`, '/statistics', '/accessibility', '/about', '/nowhere']) {
      const { text } = await visit(path, 'uk');
      expect(textOf(text)).toContain(
        'Розпорядник: Агенція <b>«Майно»</b> Контакт: registry@agency.example Ліцензія: CC-BY-4.0',
      );
      expect(text).not.toContain('<b>«Майно»');
      for (const link of ['/about', 'https://agency.example/', 'mailto:registry@agency.example'])
        expect(attributes(text, 'href')).toContain(link);
      expect(textOf((await visit(path)).text)).toContain('Published by: Property Agency Contact:');
    }
  });

  it('is left out if it is not configured', async () => {
    for (const path of ['/', '/about'])
      for (const language of ['uk', 'en']) {
        const { text } = await visit(path, language, unnamed);
        expect(textOf(text)).not.toMatch(/Published by|Розпорядник|Licence/);
        expect(text).not.toContain('id="publisher"');
      }
  });

  it.each([
    ['uk', 'Про реєстр', ['Оновлюється: одразу після внесення змін', 'Умови користування agency.example/terms']],
    ['en', 'About the registry', ['Updated as soon as something changes', 'Terms of use agency.example/terms']],
  ])('has a page about the registry, with how to cite and copy it (%s)', async (language, title, facts) => {
    const { status, text } = await visit('/about', language);
    expect([status, text.includes(`<h1>${title}</h1>`)]).toEqual([200, true]);
    for (const fact of facts) expect(textOf(text).replace('Як часто оновлюється', 'Оновлюється:')).toContain(fact);
    expect(textOf(text)).toContain(`${named.url}/assets/`);
    const links = attributes(text, 'href').filter((href) => /^\/(?!pages\/)/.test(href));
    expect(links).toContain('/api/0.1/assets/snapshot.csv.gz');
    for (const link of links) expect([link, (await named.send(link)).status]).toEqual([link, 200]);
  });

  it.each(['uk', 'en'])(
    'is the publisher of a catalogue with the data set, for portals of open data (%s)',
    async (lang) => {
      const publisher = {
        '@type': 'foaf:Agent',
        '@id': 'https://agency.example/',
        'foaf:name': lang === 'uk' ? PUBLISHER.PUBLISHER_NAME : PUBLISHER.PUBLISHER_NAME_EN,
      };
      const catalogue = await dataOf(lang);
      expect(catalogue).toMatchObject({ '@type': 'Catalog', 'dct:publisher': publisher });
      expect(catalogue['dataset']).toMatchObject({
        '@type': 'Dataset',
        'dct:publisher': { '@id': publisher['@id'] },
        contactPoint: { '@type': 'vcard:Kind', 'vcard:hasEmail': { '@id': 'mailto:registry@agency.example' } },
        'dct:accrualPeriodicity': {
          '@id': 'http://publications.europa.eu/resource/authority/frequency/UPDATE_CONT',
        },
      });
      const files = (catalogue['dataset'] as JsonObject)['distribution'] as JsonObject[];
      expect(files.map((file) => file['dct:license'])).toEqual(
        files.map(() => ({ '@id': 'https://creativecommons.org/licenses/by/4.0/' })),
      );
      expect(await dataOf(lang, unnamed)).toMatchObject({ '@type': 'Dataset' });
    },
  );
});

describe.each(embedded)('a registry with a log on $name', (kind) => {
  const logged = servedRegistry(kind, { LOG_KEY: newLogKey('registry.example/log') });
  const plain = servedRegistry(kind);

  it('says on the page about it how to check a record, and another one does not', async () => {
    const [withLog, without] = await Promise.all([logged.send('/about?lang=en'), plain.send('/about?lang=en')]);
    expect(attributes(withLog.text, 'href')).toContain('/check-proof.py');
    expect(without.text).not.toContain('check-proof');
  });
});
