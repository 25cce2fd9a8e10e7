import type { Labels } from '../asset-types/labels.js';
import { regionName } from './region-key.js';

/*
 * Labels of the 27 regions of Ukraine. The Ukrainian label is the name in the index (ukraine-regions.ts).
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

/** In the order of the Constitution of Ukraine: the republic, the oblasts alphabetically, the cities. */
export const REGIONS_OF_UKRAINE: readonly Labels[] = [
  { uk: 'Автономна Республіка Крим', en: 'Autonomous Republic of Crimea' },
  ...Object.entries(OBLASTS).map(([uk, en]) => ({ uk: `${uk} область`, en: `${en} region` })),
  { uk: 'м. Київ', en: 'Kyiv' },
  { uk: 'м. Севастополь', en: 'Sevastopol' },
];

const UKRAINE: Labels = { uk: 'Україна', en: 'Ukraine' };
const LABELS: ReadonlyMap<string, Labels> = new Map(REGIONS_OF_UKRAINE.map((labels) => [labels.uk, labels]));

/** @param name in any spelling */
export function isRegionOfUkraine(name: string): boolean {
  return LABELS.has(regionName(name));
}

/** Returns the label of a Ukrainian region in any spelling; other names unchanged. */
export function regionLabel(name: string, language: keyof Labels): string {
  return LABELS.get(regionName(name))?.[language] ?? name;
}

/** Returns the label of Ukraine, named in either language; other countries unchanged. */
export function countryLabel(name: string, language: keyof Labels): string {
  return Object.values(UKRAINE).includes(name) ? UKRAINE[language] : name;
}
