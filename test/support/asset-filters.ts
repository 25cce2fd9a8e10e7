import { assetBody, type JsonObject, LOT } from './assets.js';
import type { Random } from './random.js';

/** Words that do not occur in the other texts of the example. */
const WORDS = ['Лікарня', 'склад', 'Кузня', 'гараж', 'автомобіль', 'млин', 'Zebra', 'стодола'];
const REGIONS = ['м. Київ', 'Київська область', 'Львівська область', 'Одеська область'];
const CODES = ['00037256', '12345678', 'АБ-1', 'аб-1'];
const CPV = ['34110000-1', '34120000-4', '70110000-8'];
/** Bounds of filters, all integers; assets also have amounts half a unit higher. */
const AMOUNTS = [0, 1, 99, 100, 1_000, 49_999, 50_000, 10 ** 12];
export const CURRENCIES = ['UAH', 'EUR'];

/** An asset as the registry returns it. */
export interface Shown {
  id: string;
  status: string;
  assetType: string;
  title: string;
  owner: string;
  date: string;
  dateModified: string;
  relatedLot?: string;
  address: { region?: string };
  assetCustodian: { identifier: { id: string } };
  classification: { scheme: string; id: string };
  value: { currency: string; amount: number };
}

/** Query parameters of a filter, and its expected effect. */
export interface Filter {
  query: [string, string][];
  matches: (asset: Shown) => boolean;
}

/** One filter of each kind, with random values. */
export function filtersFrom(random: Random, assets: readonly Shown[]): Filter[] {
  const one = <T>(values: readonly T[]): T => random.pick(values);
  const [status, other] = [one(['pending', 'active', 'deleted']), one(['pending', 'complete'])];
  const [region, code, currency] = [one(REGIONS), one(CODES), one(CURRENCIES)];
  const [from, to] = [one(AMOUNTS), one(AMOUNTS)];
  const beginning = one(CPV).slice(0, random.int(0, 10));
  const word = one(WORDS).slice(0, 5).toLowerCase();
  const { dateModified } = one(assets);
  return [
    {
      query: [
        ['status', status],
        ['status', other],
      ],
      matches: (asset) => [status, other].includes(asset.status),
    },
    { query: [['assetType', 'basic']], matches: ({ assetType }) => assetType === 'basic' },
    { query: [['region', region]], matches: ({ address }) => address.region === region },
    { query: [['custodian', code]], matches: ({ assetCustodian }) => assetCustodian.identifier.id === code },
    {
      query: [['classification', beginning === '' ? 'CPV' : `CPV:${beginning}`]],
      matches: ({ classification: { scheme, id } }) => scheme === 'CPV' && id.startsWith(beginning),
    },
    {
      query: [
        ['currency', currency],
        ['valueFrom', String(from)],
        ['valueTo', `${to}.0000000000000001`],
      ],
      matches: ({ value }) => value.currency === currency && value.amount >= from && value.amount <= to,
    },
    { query: [['modifiedFrom', dateModified]], matches: (asset) => asset.dateModified >= dateModified },
    { query: [['modifiedTo', dateModified]], matches: (asset) => asset.dateModified < dateModified },
    { query: [['relatedLot', LOT]], matches: ({ relatedLot }) => relatedLot === LOT },
    { query: [['owner', 'broker']], matches: ({ owner }) => owner === 'broker' },
    { query: [['q', word]], matches: ({ title }) => wordsOf(title).some((part) => part.startsWith(word)) },
  ];
}

const wordsOf = (title: string): string[] => title.toLowerCase().split(' ');

/** A body of POST with random values in the filtered fields. */
export function randomBody(random: Random): { data: JsonObject } {
  const one = <T>(values: readonly T[]): T => random.pick(values);
  const body = assetBody({ title: `${one(WORDS)} ${one(WORDS)}`, quantity: random.int(1, 9) });
  const data = body.data as Record<string, JsonObject>;
  const identifier = data['assetCustodian']?.['identifier'] as JsonObject;
  Object.assign(data['address'] as JsonObject, { region: one(REGIONS) });
  Object.assign(identifier, { id: one(CODES) });
  Object.assign(data['classification'] as JsonObject, { scheme: one(['CPV', 'CAV']), id: one(CPV) });
  Object.assign(data['value'] as JsonObject, { currency: one(CURRENCIES), amount: one(AMOUNTS) + one([0, 0.5]) });
  return body;
}
