import type { SeededRandom } from './seeded-random.js';
import { addressIn, anyAddressIn, bankIn, custodianIn } from './custodians.js';
import { BUILDING, COMPLEXES, DEBTORS, FARMLAND, KINDS, LAND } from './kinds.js';
import { TOWNS, VILLAGES } from './settlements.js';

/** The data of a new asset, as a broker sends it. */
export interface ExampleAsset {
  assetType: 'basic' | 'compound' | 'claimRights';
  title: string;
  description: string;
  value: ExampleValue;
  [field: string]: unknown;
}

interface ExampleValue {
  currency: string;
  amount: number;
  valueAddedTaxIncluded: boolean;
}

/** A single property with its address. */
export function makeBasic(random: SeededRandom): ExampleAsset {
  const { title, description, classification, unit, quantity, price } = random.pick(KINDS);
  const isFarmland = classification === FARMLAND;
  const settlement = random.pick(isFarmland ? VILLAGES : TOWNS);
  const address = isFarmland ? addressIn(settlement, 'за межами населеного пункту') : anyAddressIn(settlement, random);
  const amount = sizeBetween(quantity, random);
  const size = unit.code === 'H87' && amount === 1 ? '' : `, ${inUkrainian(amount)} ${SHORT_UNITS[unit.code]}`;
  return {
    assetType: 'basic',
    title: `${title}${size}, ${settlement.locality}`,
    description,
    classification,
    value: priceOf(amount * random.integer(...price), random),
    unit,
    quantity: amount,
    address,
    assetCustodian: custodianIn(settlement, random),
  };
}

/** Several buildings sold together, with their land plot. */
export function makeCompound(random: SeededRandom): ExampleAsset {
  const { name, parts, isRural } = random.pick(COMPLEXES);
  const settlement = random.pick(isRural ? VILLAGES : TOWNS);
  const address = anyAddressIn(settlement, random);
  const included = parts.slice(0, random.integer(1, parts.length));
  const buildings = included.map((part, i) => {
    const quantity = sizeBetween(i === 0 ? [240, 900, 1] : [24, 180, 1], random);
    return { description: `${part}, ${inUkrainian(quantity)} кв. м`, ...BUILDING, quantity, address };
  });
  const hectares = sizeBetween([0.3, 4, 4], random);
  const land = { description: `Земельна ділянка, ${inUkrainian(hectares)} га`, ...LAND, quantity: hectares, address };
  return {
    assetType: 'compound',
    title: `${name}, ${settlement.locality}`,
    description: `${parts[0]}${included.length > 1 ? ' та інше майно' : ''} разом із земельною ділянкою.`,
    value: priceOf(random.integer(400_000, 9_000_000), random),
    items: [...buildings, land],
    assetCustodian: custodianIn(settlement, random),
  };
}

/** A debt sold by the lender, sometimes in a foreign currency. */
export function makeClaim(random: SeededRandom): ExampleAsset {
  const year = random.integer(2011, 2021);
  const agreement = `${random.integer(2, 980)}-К/${year}`;
  const isFirm = random.boolean(0.7);
  const currency = random.pick(['UAH', 'UAH', 'UAH', 'USD', 'EUR']);
  const debt =
    random.integer(12_000, isFirm ? 6_000_000 : 340_000) / (currency === 'UAH' ? 1 : 20) + random.integer(0, 99) / 100;
  const day = String(random.integer(1, 28)).padStart(2, '0');
  return {
    assetType: 'claimRights',
    title: `Право вимоги за кредитним договором № ${agreement}`,
    description: isFirm ? 'Кредит юридичної особи, забезпечений іпотекою.' : 'Споживчий кредит без забезпечення.',
    classification: { scheme: 'CAV', id: '07110000-4', description: 'Права вимоги за кредитними договорами' },
    value: { ...priceOf(debt * 0.4, random), currency },
    unit: { code: 'E50', name: 'кредит' },
    quantity: 1,
    debt: {
      agreementNumber: agreement,
      debtorType: isFirm ? 'legalPerson' : 'naturalPerson',
      ...(isFirm ? { debtorName: random.pick(DEBTORS) } : {}),
      dateSigned: `${year}-02-${day}T00:00:00+02:00`,
      value: { currency, amount: Math.round(debt * 100) / 100, valueAddedTaxIncluded: false },
    },
    assetCustodian: bankIn(random),
  };
}

const SHORT_UNITS: Record<string, string> = { MTK: 'кв. м', HAR: 'га', H87: 'шт.', TNE: 'т', SET: 'компл.' };

function sizeBetween([from, to, decimals]: readonly [number, number, number], random: SeededRandom): number {
  return Number((from + random.next() * (to - from)).toFixed(decimals));
}

function inUkrainian(amount: number): string {
  return String(amount).replace('.', ',');
}

/** A price in hryvnias, rounded to tens. */
function priceOf(amount: number, random: SeededRandom): ExampleValue {
  return { currency: 'UAH', amount: Math.round(amount / 10) * 10, valueAddedTaxIncluded: random.boolean(0.6) };
}
