import type { Labels } from '../asset-types/labels.js';
import { regionName } from './region-key.js';

/*
 * The 27 regions of Ukraine as people read them. The Ukrainian label is the name by which the index counts a region (ukraine-regions.ts).
 */

const OBLASTS: Readonly<Record<string, string>> = {
  Вінницька: 'Vinnytsia',
  Волинська: 'Volyn',
  Дніпропетровська: 'Dnipropetrovsk',
  Донецька: 'Donetsk',
  Житомирська: 'Zhytomyr',
  Закарпатська: 'Zakarpattia',
  Запорізька: 'Zaporizhzhia',
  'Івано-Франківська': 'Ivano-Frankivsk',
  Київська: 'Kyiv',
  Кіровоградська: 'Kirovohrad',
  Луганська: 'Luhansk',
  Львівська: 'Lviv',
  Миколаївська: 'Mykolaiv',
  Одеська: 'Odesa',
  Полтавська: 'Poltava',
  Рівненська: 'Rivne',
  Сумська: 'Sumy',
  Тернопільська: 'Ternopil',
  Харківська: 'Kharkiv',
  Херсонська: 'Kherson',
  Хмельницька: 'Khmelnytskyi',
  Черкаська: 'Cherkasy',
  Чернівецька: 'Chernivtsi',
  Чернігівська: 'Chernihiv',
};

/** In the order of the Constitution of Ukraine: the republic, the oblasts by the alphabet, the cities. */
export const REGIONS_OF_UKRAINE: readonly Labels[] = [
  { uk: 'Автономна Республіка Крим', en: 'Autonomous Republic of Crimea' },
  ...Object.entries(OBLASTS).map(([uk, en]) => ({ uk: `${uk} область`, en: `${en} region` })),
  { uk: 'м. Київ', en: 'Kyiv' },
  { uk: 'м. Севастополь', en: 'Sevastopol' },
];

const LABELS: ReadonlyMap<string, Labels> = new Map(REGIONS_OF_UKRAINE.map((labels) => [labels.uk, labels]));

/** Whether a name is one of the 27, in any spelling. */
export function isRegionOfUkraine(name: string): boolean {
  return LABELS.has(regionName(name));
}

/** The label of one of the 27, found by any spelling; any other name as it is. */
export function regionLabel(name: string, language: keyof Labels): string {
  return LABELS.get(regionName(name))?.[language] ?? name;
}
