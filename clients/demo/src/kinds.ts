/** A kind of property, with the ranges of its size and price. */
interface Kind {
  title: string;
  description: string;
  classification: Classification;
  unit: Unit;
  /** In `unit`s, with `decimals` decimal places. */
  quantity: readonly [from: number, to: number, decimals: number];
  /** Per unit, in hryvnias. */
  price: readonly [from: number, to: number];
}

interface Classification {
  scheme: string;
  id: string;
  description: string;
}

interface Unit {
  code: string;
  name: string;
}

const METRES: Unit = { code: 'MTK', name: 'квадратний метр' };
const HECTARES: Unit = { code: 'HAR', name: 'гектар' };
const PIECES: Unit = { code: 'H87', name: 'штука' };
const TONNES: Unit = { code: 'TNE', name: 'тонна' };
const SETS: Unit = { code: 'SET', name: 'комплект' };

const ps = (id: string, description: string): Classification => ({ scheme: 'CAV-PS', id, description });
const cpv = (id: string, description: string): Classification => ({ scheme: 'CPV', id, description });

const REAL_ESTATE = ps('04000000-8', 'Нерухоме майно');
const NOT_FOR_LIVING = ps('04200000-0', 'Нежитлова нерухомість');
const FIELDS = ps('06111000-3', 'Землі сільськогосподарського призначення');
const BUILDING_LAND = ps('06121000-6', 'Земельні ділянки під забудову');

/** Columns: title, description, classification, unit, quantity, price per unit. */
const TABLE: readonly (readonly [string, string, Classification, Unit, Kind['quantity'], Kind['price']])[] = [
  [
    'Нежитлове приміщення першого поверху',
    'Окремий вхід, централізоване опалення, водопостачання та електропостачання.',
    NOT_FOR_LIVING,
    METRES,
    [18, 240, 1],
    [6_500, 24_000],
  ],
  [
    'Нежитлові приміщення підвалу',
    'Сухий підвал житлового будинку, висота стелі 2,4 м, потребує поточного ремонту.',
    NOT_FOR_LIVING,
    METRES,
    [22, 310, 1],
    [1_800, 7_000],
  ],
  [
    'Будівля колишньої котельні',
    'Цегляна, одноповерхова, обладнання демонтовано; покрівля потребує заміни.',
    NOT_FOR_LIVING,
    METRES,
    [90, 520, 1],
    [900, 3_600],
  ],
  [
    'Будівля складу',
    'Залізобетонні панелі, рампа, підʼїзна дорога з твердим покриттям.',
    NOT_FOR_LIVING,
    METRES,
    [180, 2_400, 1],
    [1_500, 6_400],
  ],
  [
    'Гаражний бокс',
    'Капітальний, з оглядовою ямою, електропостачання відключене.',
    REAL_ESTATE,
    METRES,
    [18, 42, 1],
    [3_200, 9_500],
  ],
  [
    'Адміністративна будівля',
    'Двоповерхова цегляна будівля з окремою огородженою територією.',
    NOT_FOR_LIVING,
    METRES,
    [160, 1_900, 1],
    [4_200, 15_000],
  ],
  [
    'Земельна ділянка для ведення товарного сільськогосподарського виробництва',
    'Рілля без забудови та самосійного лісу, межі винесено в натуру (на місцевість).',
    FIELDS,
    HECTARES,
    [1, 48, 4],
    [38_000, 72_000],
  ],
  [
    'Земельна ділянка для городництва',
    'Рельєф рівний, підʼїзд ґрунтовою дорогою, поруч проходить лінія електропередачі.',
    FIELDS,
    HECTARES,
    [0.06, 0.6, 4],
    [90_000, 240_000],
  ],
  [
    'Земельна ділянка для будівництва та обслуговування будівель торгівлі',
    'Комунікації проходять уздовж межі ділянки, обтяжень немає.',
    BUILDING_LAND,
    HECTARES,
    [0.03, 1.2, 4],
    [900_000, 4_200_000],
  ],
  [
    'Земельна ділянка для будівництва та обслуговування житлового будинку',
    'Кадастровий номер присвоєно, електромережі та газопровід поруч.',
    BUILDING_LAND,
    HECTARES,
    [0.05, 0.15, 4],
    [1_400_000, 5_800_000],
  ],
  [
    'Автомобіль ВАЗ-21043, 2006 року випуску',
    'На ходу, на кузові сліди корозії, пробіг понад 240 тис. км.',
    cpv('34110000-1', 'Легкові автомобілі'),
    PIECES,
    [1, 1, 0],
    [28_000, 54_000],
  ],
  [
    'Автомобіль Skoda Octavia, 2011 року випуску',
    'Службовий автомобіль, технічне обслуговування проводилося за регламентом.',
    cpv('34110000-1', 'Легкові автомобілі'),
    PIECES,
    [1, 1, 0],
    [160_000, 245_000],
  ],
  [
    'Автобус БАЗ А079, 2009 року випуску',
    'Потребує ремонту двигуна, реєстраційні документи в наявності.',
    cpv('34120000-4', 'Мототранспортні засоби для перевезення 10 і більше осіб'),
    PIECES,
    [1, 2, 0],
    [95_000, 190_000],
  ],
  [
    'Вантажний автомобіль ГАЗ-САЗ-3507',
    'Самоскид, не експлуатується з 2019 року, зберігається під навісом.',
    cpv('34130000-7', 'Мототранспортні вантажні засоби'),
    PIECES,
    [1, 3, 0],
    [42_000, 88_000],
  ],
  [
    'Трактор ЮМЗ-6',
    'У робочому стані, продається разом із плугом і причепом.',
    cpv('16700000-2', 'Трактори'),
    PIECES,
    [1, 2, 0],
    [74_000, 148_000],
  ],
  [
    'Компʼютерна техніка, що була у використанні',
    'Системні блоки й монітори 2012–2016 років випуску; повний перелік надає балансоутримувач.',
    cpv('30200000-1', 'Компʼютерне обладнання та приладдя'),
    PIECES,
    [4, 60, 0],
    [350, 2_100],
  ],
  [
    'Шкільні меблі',
    'Парти й стільці, придатні до використання; самовивіз.',
    cpv('39100000-3', 'Меблі'),
    SETS,
    [6, 90, 0],
    [180, 900],
  ],
  [
    'Брухт чорних металів',
    'Утворився після демонтажу теплової мережі, змішаний, зберігається на відкритому майданчику.',
    cpv('14900000-7', 'Вторинна сировина'),
    TONNES,
    [2, 140, 2],
    [5_200, 8_600],
  ],
];

export const KINDS: readonly Kind[] = TABLE.map(([title, description, classification, unit, quantity, price]) => ({
  title,
  description,
  classification,
  unit,
  quantity,
  price,
}));

/** Property complexes with their buildings; the generator adds the land plot. */
export const COMPLEXES: readonly { name: string; parts: readonly string[]; isRural?: true }[] = [
  { name: 'Єдиний майновий комплекс «Хлібзавод»', parts: ['Виробничий корпус', 'Склад борошна', 'Прохідна'] },
  { name: 'Майновий комплекс колишньої автобази', parts: ['Ремонтний бокс', 'Диспетчерська', 'Мийка'] },
  { name: 'Майновий комплекс тваринницької ферми', parts: ['Корівник', 'Молочний блок', 'Сіносховище'], isRural: true },
  { name: 'База відпочинку «Лісова»', parts: ['Спальний корпус', 'Їдальня', 'Літні будиночки'] },
  { name: 'Єдиний майновий комплекс «Млин»', parts: ['Будівля млина', 'Зерносклад', 'Вагова'], isRural: true },
  { name: 'Майновий комплекс колишньої районної лікарні', parts: ['Головний корпус', 'Харчоблок', 'Гараж'] },
  {
    name: 'Майновий комплекс малої гідроелектростанції',
    parts: ['Будівля станції', 'Щитова', 'Побутовий корпус'],
  },
];

/** Banks in liquidation, which sell claims. */
export const BANKS: readonly string[] = [
  'АТ «Приклад-Банк» (у стані ліквідації)',
  'ПАТ «Зразок-Банк» (у стані ліквідації)',
  'АТ «Умовний кредитний банк» (у стані ліквідації)',
];

/** Debtors, legal persons only; names of natural persons are not published. */
export const DEBTORS: readonly string[] = [
  'ТОВ «Приклад-Агро»',
  'ТОВ «Зразок-Буд»',
  'ПП «Вигадка»',
  'ТОВ «Демо-Транс»',
  'ФГ «Умовне поле»',
  'ТОВ «Проба-Трейд»',
];
export const FARMLAND = FIELDS;
export const LAND = { classification: BUILDING_LAND, unit: HECTARES };
export const BUILDING = { classification: NOT_FOR_LIVING, unit: METRES };
