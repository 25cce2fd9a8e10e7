import type { Labels } from '../labels.js';

/*
 * Names of units of measure by UN/CEFACT recommendation 20 code.
 */

/**
 * Ukrainian forms (for 1, 2, 5 and 0.5), English forms (for 1 and 2), then other spellings. Any other name is shown as the broker wrote it.
 */
const UNITS: Readonly<Record<string, string>> = {
  HAR: 'гектар|гектари|гектарів|гектара|hectare|hectares|га|ha',
  ARE: 'ар|ари|арів|ара|are|ares',
  MTK: 'квадратний метр|квадратні метри|квадратних метрів|квадратного метра|square metre|square metres|метр квадратний|метри квадратні|кв. м|кв.м|м кв|м²|м2|m²|m2|sq m',
  KMK: 'квадратний кілометр|квадратні кілометри|квадратних кілометрів|квадратного кілометра|square kilometre|square kilometres|кв. км|км²|km²',
  MTR: 'метр|метри|метрів|метра|metre|metres|м|m',
  LM: 'погонний метр|погонні метри|погонних метрів|погонного метра|linear metre|linear metres|метр погонний|пог. м|п. м',
  KMT: 'кілометр|кілометри|кілометрів|кілометра|kilometre|kilometres|км|km',
  MTQ: 'кубічний метр|кубічні метри|кубічних метрів|кубічного метра|cubic metre|cubic metres|метр кубічний|метри кубічні|куб. м|м³|м3|m³|m3',
  LTR: 'літр|літри|літрів|літра|litre|litres|л|l',
  GRM: 'грам|грами|грамів|грама|gram|grams|г|g',
  KGM: 'кілограм|кілограми|кілограмів|кілограма|kilogram|kilograms|кг|kg',
  TNE: 'тонна|тонни|тонн|тонни|tonne|tonnes|т|t',
  H87: 'штука|штуки|штук|штуки|piece|pieces|шт|шт.|pcs',
  C62: 'одиниця|одиниці|одиниць|одиниці|unit|units|од|од.',
  SET: 'комплект|комплекти|комплектів|комплекту|set|sets|компл.',
  PR: 'пара|пари|пар|пари|pair|pairs',
  PK: 'упаковка|упаковки|упаковок|упаковки|pack|packs|уп.',
  BX: 'ящик|ящики|ящиків|ящика|box|boxes',
  RO: 'рулон|рулони|рулонів|рулону|roll|rolls',
  E50: 'кредит|кредити|кредитів|кредиту|loan|loans',
  E48: 'послуга|послуги|послуг|послуги|service|services',
  LO: 'лот|лоти|лотів|лота|lot|lots',
  KWT: 'кіловат|кіловати|кіловат|кіловата|kilowatt|kilowatts|кВт|kW',
  KWH: 'кіловат-година|кіловат-години|кіловат-годин|кіловат-години|kilowatt-hour|kilowatt-hours|кВт·год|kWh',
  HUR: 'година|години|годин|години|hour|hours|год.',
  DAY: 'день|дні|днів|дня|day|days',
  MON: 'місяць|місяці|місяців|місяця|month|months|міс.',
  ANN: 'рік|роки|років|року|year|years',
};

const PLURALS = { uk: new Intl.PluralRules('uk'), en: new Intl.PluralRules('en') };
/** Indexes of the forms in UNITS. */
const FORMS: Readonly<Record<keyof Labels, Partial<Record<Intl.LDMLPluralRule, number>>>> = {
  uk: { one: 0, few: 1, many: 2, other: 3 },
  en: { one: 4, other: 5 },
};

/** Returns the unit of a quantity in a language: `гектарів`, `hectares`. */
export function unitName({ code = '', name = '' }: UnitAsSent, quantity: number, language: keyof Labels): string {
  const names = Object.hasOwn(UNITS, code) ? (UNITS[code] as string).split('|') : [];
  if (!names.includes(name.trim()) && !names.includes(name.trim().toLowerCase())) return name;
  return names[FORMS[language][PLURALS[language].select(quantity)] ?? 0] ?? name;
}

/** Parts may have been erased. */
interface UnitAsSent {
  code?: string;
  name?: string;
}
