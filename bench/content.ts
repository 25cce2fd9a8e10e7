import type { Random } from '../test/support/random.js';

/*
 * Content as brokers write it about land plots and buildings: about 1.5 KB of JSON per answer, with over a quarter Cyrillic characters.
 */
const KINDS = [
  { id: '06121000-6', description: 'Земельні ділянки сільськогосподарського призначення', name: 'Земельна ділянка' },
  { id: '04121000-2', description: 'Нежитлові будівлі та приміщення', name: 'Нежитлове приміщення' },
  { id: '04110000-8', description: 'Єдині майнові комплекси', name: 'Єдиний майновий комплекс' },
];
const REGIONS = ['Київська область', 'Львівська область', 'Одеська область', 'Полтавська область', 'Вінницька область'];
const LOCALITIES = ['м. Бориспіль', 'м. Стрий', 'смт Авангард', 'с. Решетилівка', 'м. Хмільник'];
const STREETS = ['вул. Шевченка', 'вул. Івана Франка', 'просп. Свободи', 'вул. Незалежності', 'пров. Садовий'];
const CUSTODIANS = ['Регіональне відділення Фонду державного майна', 'Департамент комунальної власності'];
const USES = ['Для ведення товарного сільськогосподарського виробництва', 'Для розміщення та експлуатації будівель'];

/** @returns the `data` of a POST without `assetType`, fields in the order in which they are printed */
export function fieldsFrom(random: Random): Record<string, unknown> {
  const kind = random.pick(KINDS);
  const number = `32${digits(random, 8)}:${digits(random, 2)}:${digits(random, 3)}:${digits(random, 4)}`;
  const area = random.int(1_000, 99_999) / 10_000;
  const amount = random.int(100_000, 99_999_999) / 100;
  return {
    title: `${kind.name} площею ${area} га, ${random.pick(LOCALITIES)}, ${random.pick(REGIONS)}`,
    description: `Кадастровий номер ${number}. ${random.pick(USES)}, ${area} га. Зареєстровано ${random.int(2013, 2024)}.`,
    classification: { scheme: 'CAV-PS', id: kind.id, description: kind.description },
    value: { currency: 'UAH', amount, valueAddedTaxIncluded: random.chance(0.5) },
    unit: { code: 'HAR', name: 'гектар' },
    quantity: area,
    address: addressFrom(random),
    assetCustodian: custodianFrom(random),
  };
}

function custodianFrom(random: Random): Record<string, unknown> {
  const uri = `https://www.spfu.gov.ua/ua/regions/${digits(random, 4)}`;
  return {
    name: `${random.pick(CUSTODIANS)}, ${random.pick(REGIONS)}`,
    identifier: { scheme: 'UA-EDR', id: digits(random, 8), uri },
    address: addressFrom(random),
    contactPoint: { name: `Відділ приватизації № ${random.int(1, 40)}`, telephone: `+380${digits(random, 9)}` },
  };
}

function addressFrom(random: Random): Record<string, string> {
  const streetAddress = `${random.pick(STREETS)}, ${random.int(1, 180)}`;
  const [region, locality] = [random.pick(REGIONS), random.pick(LOCALITIES)];
  return { countryName: 'Україна', postalCode: digits(random, 5), region, streetAddress, locality };
}

function digits(random: Random, length: number): string {
  return String(random.int(0, 10 ** length - 1)).padStart(length, '0');
}
