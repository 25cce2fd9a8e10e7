import type { Random } from '../../test/support/random.js';

/*
 * What brokers write about land plots and buildings, in length and script as in the registers that this one succeeds: about 1.5 KB of JSON
 * as answered, more than a quarter of the characters Cyrillic.
 */

const KINDS = [
  { id: '06121000-6', description: 'Земельні ділянки сільськогосподарського призначення', name: 'Земельна ділянка' },
  { id: '04121000-2', description: 'Нежитлові будівлі та приміщення', name: 'Нежитлове приміщення' },
  { id: '39513200-3', description: 'Земельні ділянки для будівництва', name: 'Ділянка під забудову' },
  { id: '04110000-8', description: 'Єдині майнові комплекси', name: 'Єдиний майновий комплекс' },
];
const PLACES = [
  { region: 'Київська область', locality: 'м. Бориспіль', code: '083' },
  { region: 'Львівська область', locality: 'м. Стрий', code: '824' },
  { region: 'Одеська область', locality: 'смт Авангард', code: '678' },
  { region: 'Полтавська область', locality: 'с. Решетилівка', code: '384' },
  { region: 'Вінницька область', locality: 'м. Хмільник', code: '220' },
];
const STREETS = ['вул. Шевченка', 'вул. Івана Франка', 'просп. Свободи', 'вул. Незалежності', 'пров. Садовий'];
const CUSTODIANS = [
  'Регіональне відділення Фонду державного майна',
  'Головне управління Держгеокадастру',
  'Департамент комунальної власності',
];
const USES = [
  'Для ведення товарного сільськогосподарського виробництва',
  'Для розміщення та експлуатації будівель',
  'Для будівництва та обслуговування будівель торгівлі',
];

/** What a broker sends under `data`, without `assetType`; the fields stand in the order in which they are printed. */
export function fieldsFrom(random: Random): Record<string, unknown> {
  const [kind, place] = [random.pick(KINDS), random.pick(PLACES)];
  const number = `32${digits(random, 8)}:${digits(random, 2)}:${digits(random, 3)}:${digits(random, 4)}`;
  const area = random.int(1_000, 99_999) / 10_000;
  return {
    title: `${kind.name} площею ${area} га, ${place.locality}, ${place.region}`,
    description: descriptionFrom(random, number, area),
    classification: { scheme: 'CAV-PS', id: kind.id, description: kind.description },
    value: {
      currency: 'UAH',
      amount: random.int(100_000, 99_999_999) / 100,
      valueAddedTaxIncluded: random.chance(0.5),
    },
    unit: { code: 'HAR', name: 'гектар' },
    quantity: area,
    address: addressIn(place, random),
    assetCustodian: custodianIn(random.pick(PLACES), random),
  };
}

function descriptionFrom(random: Random, number: string, area: number): string {
  return `Кадастровий номер ${number}. ${random.pick(USES)}, ${area} га. Зареєстровано ${random.int(2013, 2024)}.`;
}

function custodianIn(place: (typeof PLACES)[number], random: Random): Record<string, unknown> {
  const name = `${random.pick(CUSTODIANS)}, ${place.region}`;
  return {
    name,
    identifier: {
      scheme: 'UA-EDR',
      id: digits(random, 8),
      uri: `https://www.spfu.gov.ua/ua/regions/${digits(random, 4)}`,
    },
    address: addressIn(place, random),
    contactPoint: { name: `Відділ приватизації № ${random.int(1, 40)}`, telephone: `+380${digits(random, 9)}` },
  };
}

function addressIn({ region, locality, code }: (typeof PLACES)[number], random: Random): Record<string, string> {
  const streetAddress = `${random.pick(STREETS)}, ${random.int(1, 180)}`;
  return { countryName: 'Україна', postalCode: code + digits(random, 2), region, streetAddress, locality };
}

function digits(random: Random, length: number): string {
  return String(random.int(0, 10 ** length - 1)).padStart(length, '0');
}
