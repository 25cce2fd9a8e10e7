import { ASSETS } from '../../test/support/assets.js';
import type { Random } from '../../test/support/random.js';
import type { DataSet } from '../data-set/data-set.js';

const WORDS = ['ділянка', 'земельна бориспіль', 'нежитлове стрий', 'комплекс одеська', 'забуд', 'приміщ хмільник'];
const STATES = ['pending', 'active', 'complete', 'deleted'];
const REGIONS = ['Київська область', 'Львівська область', 'Одеська область', 'Полтавська область', 'Вінницька область'];

/** The path of a page that people look something up with: an asset ID, a custodian's code, words, or conditions; each as often. */
export function searchPath(dataSet: DataSet, random: Random): string {
  const number = random.int(0, dataSet.size - 1);
  const queries: Record<string, string>[] = [
    { q: dataSet.assetIdOf(number) },
    { q: codeOfCustodian(dataSet, number) },
    { q: random.pick(WORDS) },
    { q: random.pick(WORDS), status: random.pick(STATES) },
    { status: random.pick(STATES), region: random.pick(REGIONS) },
  ];
  return `/?${new URLSearchParams(random.pick(queries)).toString()}`;
}

/** What a program asks for: words, and filters of every kind, some of them sorted by value; each as often. */
export function apiSearch(dataSet: DataSet, random: Random): string {
  const number = random.int(0, dataSet.size - 1);
  const [status, region] = [random.pick(STATES), random.pick(REGIONS)];
  const valueFrom = String(random.int(1_000, 900_000));
  const queries: Record<string, string>[] = [
    { q: dataSet.assetIdOf(number) },
    { custodian: codeOfCustodian(dataSet, number) },
    { q: random.pick(WORDS) },
    { q: random.pick(WORDS), status, region },
    { status, region },
    { status, classification: `CAV-PS:${random.pick(['06', '04', '39513', '0411'])}`, opt_fields: 'status,title' },
    { region, currency: 'UAH', valueFrom, valueTo: String(Number(valueFrom) + 1_000) },
    { status, region, currency: 'UAH', valueFrom, sort: 'value' },
    { currency: 'UAH', sort: '-value' },
    { region, modifiedFrom: dataSet.offsetAt(number), sort: 'dateModified' },
  ];
  return `${ASSETS}/search?${new URLSearchParams(random.pick(queries)).toString()}`;
}

function codeOfCustodian(dataSet: DataSet, number: number): string {
  const { assetCustodian } = JSON.parse(dataSet.assetOf(number).body) as {
    assetCustodian: { identifier: { id: string } };
  };
  return assetCustodian.identifier.id;
}
