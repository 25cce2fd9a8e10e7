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

function codeOfCustodian(dataSet: DataSet, number: number): string {
  const { assetCustodian } = JSON.parse(dataSet.assetOf(number).body) as {
    assetCustodian: { identifier: { id: string } };
  };
  return assetCustodian.identifier.id;
}
