/*
 * Spellings of the 27 regions of Ukraine. region-key.ts ignores words for city and oblast, spaces, hyphens and apostrophes, and `romanized`
 * unifies Latin transliterations, so only other spellings are listed.
 */

/** By displayed name. The Ukrainian adjective in that name matches too, in any grammatical case. */
const OBLASTS: Readonly<Record<string, string>> = {
  'Вінницька область': 'вінниччина vinnytsia vinnytska vinnitsa',
  'Волинська область': 'волинь volyn volynska volhynia',
  'Дніпропетровська область': 'дніпропетровщина dnipropetrovsk dnipropetrovska dnepropetrovsk',
  'Донецька область': 'донеччина donetsk donetska',
  'Житомирська область': 'житомирщина zhytomyr zhytomyrska',
  'Закарпатська область': 'закарпаття zakarpattia zakarpatska transcarpathia transcarpathian',
  'Запорізька область': 'zaporizhzhia zaporizka zaporizhia zaporozhye',
  'Івано-Франківська область':
    'івфранківська іфранківська франківська івано-франківщина ivanofrankivsk ivanofrankivska ivanofrankovsk',
  'Київська область': 'київщина kyivska',
  'Кіровоградська область': 'кіровоградщина kirovohrad kirovohradska',
  'Луганська область': 'луганщина luhansk luhanska',
  'Львівська область': 'львівщина lviv lvivska lvov',
  'Миколаївська область': 'миколаївщина mykolaiv mykolaivska nikolaev',
  'Одеська область': 'одещина odesa odeska',
  'Полтавська область': 'полтавщина poltava poltavska',
  'Рівненська область': 'рівненщина rivne rivnenska rovno',
  'Сумська область': 'сумщина sumy sumska',
  'Тернопільська область': 'тернопільщина ternopil ternopilska ternopol',
  'Харківська область': 'харківщина kharkiv kharkivska kharkov',
  'Херсонська область': 'херсонщина kherson khersonska',
  'Хмельницька область': 'хмельниччина khmelnytskyi khmelnytska',
  'Черкаська область': 'черкащина cherkasy cherkaska',
  'Чернівецька область': 'чернівеччина буковина chernivtsi chernivetska chernovtsy',
  'Чернігівська область': 'чернігівщина chernihiv chernihivska chernigov',
};
/** Names that mean the oblast only with the word for oblast, and else its city. */
const OBLAST_CENTRES = {
  'Київська область': 'kyiv kiev',
  'Вінницька область': 'вінниця',
  'Запорізька область': 'запоріжжя',
  'Одеська область': 'одеса',
  'Полтавська область': 'полтава',
  'Рівненська область': 'рівне',
  'Сумська область': 'суми',
  'Хмельницька область': 'хмельницький',
  'Черкаська область': 'черкаси',
  'Чернівецька область': 'чернівці',
};
const CITIES = { 'м. Київ': 'київ києва kyiv kiev', 'м. Севастополь': 'севастополь севастополя sevastopol sebastopol' };
const REPUBLIC = {
  'Автономна Республіка Крим':
    'автономнареспублікакрим автономноїреспублікикрим республікакрим автреспкрим аркрим арк крим криму ' +
    'autonomousrepubliccrimea autonomousrepublickrym republiccrimea arcrimea arc crimea arkrym krym',
};

const MIN_ABBREVIATION_LENGTH = 2;
/** Endings of adjectives, and of names such as Київщина. */
const CASE_ENDINGS = /(ьк|щин|чин)(?:ої|ій|ою|[уиі])$/u;

type Spellings = ReadonlyMap<string, string>;

const CITY_SPELLINGS = spellingsOf(CITIES);
const REPUBLIC_SPELLINGS = spellingsOf(REPUBLIC);
const OBLAST_SPELLINGS: Spellings = new Map([
  ...Object.keys(OBLASTS).map((name) => [normalized(adjectiveOf(name)), name] as const),
  ...spellingsOf(OBLASTS),
]);
const NAMED_OBLAST_SPELLINGS: Spellings = new Map([...OBLAST_SPELLINGS, ...spellingsOf(OBLAST_CENTRES)]);

/**
 * Returns the displayed name of a Ukrainian region.
 * @param text folded letters and digits, without the words for city and oblast
 * @param kind which of these words the name had; with the word for oblast the name may be abbreviated
 */
export function regionOfUkraine(text: string, kind: { isOblast: boolean; isCity: boolean }): string | undefined {
  const name = normalized(text);
  if (kind.isOblast) return NAMED_OBLAST_SPELLINGS.get(name) ?? findByAbbreviation(name);
  const city = CITY_SPELLINGS.get(name);
  if (kind.isCity || city !== undefined) return city;
  return REPUBLIC_SPELLINGS.get(name) ?? OBLAST_SPELLINGS.get(name);
}

/** Only an unambiguous abbreviation is found. */
function findByAbbreviation(name: string): string | undefined {
  if (name.length < MIN_ABBREVIATION_LENGTH) return undefined;
  const matching = [...NAMED_OBLAST_SPELLINGS].filter(([spelling]) => spelling.startsWith(name));
  const names = new Set(matching.map(([, shown]) => shown));
  return names.size === 1 ? matching[0]?.[1] : undefined;
}

function spellingsOf(names: Readonly<Record<string, string>>): Spellings {
  return new Map(
    Object.entries(names).flatMap(([name, texts]) => texts.split(' ').map((text) => [normalized(text), name] as const)),
  );
}

function adjectiveOf(name: string): string {
  return name.split(' ')[0]?.replaceAll('-', '').toLowerCase() ?? '';
}

function normalized(text: string): string {
  return romanized(text.replaceAll('-', '').replace(CASE_ENDINGS, '$1а'));
}

/** Unifies transliterations: Khmelʼnytsʼkyy, Khmelnytskyi, Khmelnitsky. */
function romanized(text: string): string {
  const simple = text.replaceAll(/[yj]/gu, 'i').replaceAll('kh', 'h').replaceAll('g', 'h');
  return simple.replaceAll(/(\p{L})\1+/gu, '$1').replaceAll(/(\p{L}{2})\1/gu, '$1');
}
