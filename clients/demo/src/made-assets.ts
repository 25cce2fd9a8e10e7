import type { Chance } from './chance.js';
import { addressIn, anyAddressIn, bankIn, custodianIn } from './custodians.js';
import { BUILDING, COMPLEXES, DEBTORS, FARMLAND, KINDS, LAND } from './kinds.js';
import { TOWNS, VILLAGES } from './places.js';

/** The data of a new asset, as a broker sends it. */
export interface MadeAsset {
  assetType: 'basic' | 'compound' | 'claimRights';
  title: string;
  description: string;
  value: MadeValue;
  [field: string]: unknown;
}

interface MadeValue {
  currency: string;
  amount: number;
  valueAddedTaxIncluded: boolean;
}

/** A single property with its address. */
export function makeBasic(chance: Chance): MadeAsset {
  const { title, description, classification, unit, quantity, price } = chance.pick(KINDS);
  const isFarmland = classification === FARMLAND;
  const place = chance.pick(isFarmland ? VILLAGES : TOWNS);
  const address = isFarmland ? addressIn(place, 'за межами населеного пункту') : anyAddressIn(place, chance);
  const amount = sizeBetween(quantity, chance);
  const size = unit.code === 'H87' && amount === 1 ? '' : `, ${inUkrainian(amount)} ${SHORT_UNITS[unit.code]}`;
  return {
    assetType: 'basic',
    title: `${title}${size}, ${place.locality}`,
    description,
    classification,
    value: priceOf(amount * chance.whole(...price), chance),
    unit,
    quantity: amount,
    address,
    assetCustodian: custodianIn(place, chance),
  };
}

/** Several buildings sold together, with their land plot. */
export function makeCompound(chance: Chance): MadeAsset {
  const { name, parts, isRural } = chance.pick(COMPLEXES);
  const place = chance.pick(isRural ? VILLAGES : TOWNS);
  const address = anyAddressIn(place, chance);
  const included = parts.slice(0, chance.whole(1, parts.length));
  const buildings = included.map((part, i) => {
    const quantity = sizeBetween(i === 0 ? [240, 900, 1] : [24, 180, 1], chance);
    return { description: `${part}, ${inUkrainian(quantity)} кв. м`, ...BUILDING, quantity, address };
  });
  const hectares = sizeBetween([0.3, 4, 4], chance);
  const land = { description: `Земельна ділянка, ${inUkrainian(hectares)} га`, ...LAND, quantity: hectares, address };
  return {
    assetType: 'compound',
    title: `${name}, ${place.locality}`,
    description: `${parts[0]}${included.length > 1 ? ' та інше майно' : ''} разом із земельною ділянкою.`,
    value: priceOf(chance.whole(400_000, 9_000_000), chance),
    items: [...buildings, land],
    assetCustodian: custodianIn(place, chance),
  };
}

/** A debt sold by the lender, sometimes in a foreign currency. */
export function makeClaim(chance: Chance): MadeAsset {
  const year = chance.whole(2011, 2021);
  const agreement = `${chance.whole(2, 980)}-К/${year}`;
  const isFirm = chance.happens(0.7);
  const currency = chance.pick(['UAH', 'UAH', 'UAH', 'USD', 'EUR']);
  const debt =
    chance.whole(12_000, isFirm ? 6_000_000 : 340_000) / (currency === 'UAH' ? 1 : 20) + chance.whole(0, 99) / 100;
  const day = String(chance.whole(1, 28)).padStart(2, '0');
  return {
    assetType: 'claimRights',
    title: `Право вимоги за кредитним договором № ${agreement}`,
    description: isFirm ? 'Кредит юридичної особи, забезпечений іпотекою.' : 'Споживчий кредит без забезпечення.',
    classification: { scheme: 'CAV', id: '07110000-4', description: 'Права вимоги за кредитними договорами' },
    value: { ...priceOf(debt * 0.4, chance), currency },
    unit: { code: 'E50', name: 'кредит' },
    quantity: 1,
    debt: {
      agreementNumber: agreement,
      debtorType: isFirm ? 'legalPerson' : 'naturalPerson',
      ...(isFirm ? { debtorName: chance.pick(DEBTORS) } : {}),
      dateSigned: `${year}-02-${day}T00:00:00+02:00`,
      value: { currency, amount: Math.round(debt * 100) / 100, valueAddedTaxIncluded: false },
    },
    assetCustodian: bankIn(chance),
  };
}

const SHORT_UNITS: Record<string, string> = { MTK: 'кв. м', HAR: 'га', H87: 'шт.', TNE: 'т', SET: 'компл.' };

function sizeBetween([from, to, decimals]: readonly [number, number, number], chance: Chance): number {
  return Number((from + chance.next() * (to - from)).toFixed(decimals));
}

function inUkrainian(amount: number): string {
  return String(amount).replace('.', ',');
}

/** A price in hryvnias, rounded to tens. */
function priceOf(amount: number, chance: Chance): MadeValue {
  return { currency: 'UAH', amount: Math.round(amount / 10) * 10, valueAddedTaxIncluded: chance.happens(0.6) };
}
