import type { Chance } from './chance.js';
import { type Place, PLACES, STREETS } from './places.js';

type JsonObject = Record<string, unknown>;

/** Who holds public property in a town, and which of their rooms answers the telephone. */
const BODIES: readonly (readonly [name: (place: Place) => string, contact: string])[] = [
  [({ council }) => `${council} міська рада`, 'Відділ комунального майна'],
  [({ council }) => `Управління комунальної власності, ${council} міська рада`, 'Сектор приватизації'],
  [({ locality }) => `Комунальне підприємство «Міськсервіс» (${locality})`, 'Бухгалтерія'],
  [({ region }) => `Регіональне відділення Фонду державного майна України (${region})`, 'Відділ продажу'],
];

/** Codes of the register of organisations begin with no 99, and no subscriber has a number of zeros. */
export function custodianIn(place: Place, chance: Chance): JsonObject {
  const body = chance.whole(0, BODIES.length - 1);
  const [name, contact] = BODIES[body] as (typeof BODIES)[number];
  const number = PLACES.indexOf(place) * BODIES.length + body;
  const code = `99${String(number).padStart(6, '0')}`;
  return {
    name: name(place),
    identifier: { scheme: 'UA-EDR', id: code, uri: `https://custodian.example/${code}` },
    address: addressIn(place, 'пл. Соборна', 1),
    contactPoint: { name: contact, telephone: `+3804400${String(number).padStart(5, '0')}` },
  };
}

function addressIn({ region, locality, postalCode }: Place, street: string, house: number): JsonObject {
  return { countryName: 'Україна', postalCode, region, locality, streetAddress: `${street}, ${house}` };
}

export function anyAddressIn(place: Place, chance: Chance): JsonObject {
  return addressIn(place, chance.pick(STREETS), chance.whole(1, 148));
}
