import type { SeededRandom } from './seeded-random.js';
import { BANKS } from './kinds.js';
import { organisationCode } from './organisation-code.js';
import { ALL_SETTLEMENTS, type Settlement, STREETS } from './settlements.js';

type JsonObject = Record<string, unknown>;

/** Public bodies that own property in a town, each with the department to contact. */
const BODIES: readonly (readonly [name: (settlement: Settlement) => string, contact: string])[] = [
  [({ council }) => `${council} рада`, 'Відділ комунального майна'],
  [({ council }) => `Управління комунальної власності ${genitive(council)} ради`, 'Сектор приватизації'],
  [({ council }) => `Комунальне підприємство «Міськсервіс» ${genitive(council)} ради`, 'Бухгалтерія'],
  [
    ({ region }) => `Регіональне відділення Фонду державного майна України ${inRegion(region)}`,
    'Відділ приватизації державного майна',
  ],
];
const REGIONAL = BODIES.length - 1;

/** In a village the custodian is the council. A regional office is in the first town of its region. */
export function custodianIn(settlement: Settlement, random: SeededRandom): JsonObject {
  const body = settlement.district === undefined ? random.integer(0, REGIONAL) : 0;
  const seat =
    body === REGIONAL ? (ALL_SETTLEMENTS.find(({ region }) => region === settlement.region) as Settlement) : settlement;
  const [name, contact] = BODIES[body] as (typeof BODIES)[number];
  return custodian(ALL_SETTLEMENTS.indexOf(seat) * BODIES.length + body, name(seat), contact, seat);
}

export function bankIn(random: SeededRandom): JsonObject {
  const bank = random.pick(BANKS);
  const number = ALL_SETTLEMENTS.length * BODIES.length + BANKS.indexOf(bank);
  return custodian(number, bank, 'Уповноважена особа на ліквідацію банку', ALL_SETTLEMENTS[0] as Settlement);
}

/** @param number of the organisation, below 1,000 */
function custodian(number: number, name: string, contact: string, seat: Settlement): JsonObject {
  const code = organisationCode(number);
  return {
    name,
    identifier: { scheme: 'UA-EDR', id: code, uri: `https://custodian.example/${code}` },
    address: addressIn(seat, seat.district === undefined ? 'пл. Соборна, 1' : 'вул. Центральна, 1'),
    // A telephone number that no subscriber has.
    contactPoint: { name: contact, telephone: `+3804400${String(number).padStart(5, '0')}` },
  };
}

export function addressIn(settlement: Settlement, streetAddress: string): JsonObject {
  const { region, locality, district, postalCode } = settlement;
  const whole = district === undefined ? locality : `${locality}, ${district} район`;
  return { countryName: 'Україна', postalCode, region, locality: whole, streetAddress };
}

export function anyAddressIn(settlement: Settlement, random: SeededRandom): JsonObject {
  return addressIn(settlement, `${random.pick(STREETS)}, ${random.integer(1, 148)}`);
}

/** Converts `Вінницька міська` to `Вінницької міської`. */
function genitive(council: string): string {
  return council.replaceAll(/ка(?= |$)/g, 'кої');
}

/** Converts `Вінницька область` to `по Вінницькій області`. */
function inRegion(region: string): string {
  return region === 'м. Київ' ? 'по місту Києву' : `по ${region.replace('ка область', 'кій області')}`;
}
