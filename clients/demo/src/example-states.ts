import { SeededRandom } from './seeded-random.js';
import { type ExampleState, makeHistories } from './example-histories.js';

/** The properties of the target registry that the examples need. */
export interface RegistryFacts {
  /** The time of the newest examples, in milliseconds since 1970 UTC. */
  nowMs: number;
  /** The local day of an instant, `2017-08-16`. */
  dayOf: (ms: number) => string;
  /** Prefix of an assetID. */
  prefix: string;
}

const SEED = 1_723;
const DAY_MS = 86_400_000;
/** The share of a day in which changes are made: working hours only. */
const WORKING_DAY_SHARE = 0.35;
const NUMBER_DIGITS = 6;

/** The states of all examples, as lines of an import file; those of one asset are in the order of time. */
export function exampleStates({ nowMs, dayOf, prefix }: RegistryFacts): object[] {
  const random = new SeededRandom(SEED);
  const numbers = new Map<string, number>();
  const histories = makeHistories().toSorted((one, other) => ageOfCreation(other) - ageOfCreation(one));
  return histories.flatMap(({ owner, assetType, states }) => {
    const createdMs = instantOf(ageOfCreation({ states }), nowMs);
    const day = dayOf(createdMs);
    const number = (numbers.get(day) ?? 0) + 1;
    numbers.set(day, number);
    const assetID = `${prefix}-${day}-${String(number).padStart(NUMBER_DIGITS, '0')}`;
    const constant = { id: randomId(random), assetID, assetType, owner, date: printInstant(createdMs, 0) };
    return states.map(({ ageDays, fields }, i) => ({
      ...constant,
      ...fields,
      dateModified: i === 0 ? constant.date : printInstant(instantOf(ageDays, nowMs), random.integer(0, 999)),
    }));
  });
}

function ageOfCreation({ states }: { states: readonly ExampleState[] }): number {
  return (states[0] as ExampleState).ageDays;
}

function instantOf(ageDays: number, nowMs: number): number {
  const days = Math.floor(ageDays);
  return nowMs - Math.round((days + (ageDays - days) * WORKING_DAY_SHARE) * DAY_MS);
}

/** ISO 8601 with microseconds. */
function printInstant(ms: number, us: number): string {
  return new Date(ms).toISOString().replace('Z', `${String(us).padStart(3, '0')}Z`);
}

/** A UUID version 4 without hyphens. */
function randomId(random: SeededRandom): string {
  const hex = random.hex();
  return `${hex.slice(0, 12)}4${hex.slice(13, 16)}${'89ab'[random.integer(0, 3)]}${hex.slice(17)}`;
}
