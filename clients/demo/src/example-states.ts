import { Chance } from './chance.js';
import { type DatedFields, makeStories } from './stories.js';

/** The properties of the target registry that the examples need. */
export interface Registry {
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
const WORKING_SHARE = 0.35;
const NUMBER_DIGITS = 6;

/** The states of all examples, as lines of an import file; those of one asset are in the order of time. */
export function exampleStates({ nowMs, dayOf, prefix }: Registry): object[] {
  const chance = new Chance(SEED);
  const numbers = new Map<string, number>();
  const stories = makeStories().toSorted((one, other) => firstAge(other) - firstAge(one));
  return stories.flatMap(({ owner, assetType, states }) => {
    const createdMs = instantOf(firstAge({ states }), nowMs);
    const day = dayOf(createdMs);
    const number = (numbers.get(day) ?? 0) + 1;
    numbers.set(day, number);
    const assetID = `${prefix}-${day}-${String(number).padStart(NUMBER_DIGITS, '0')}`;
    const lasting = { id: idFrom(chance), assetID, assetType, owner, date: printed(createdMs, 0) };
    return states.map(({ age, fields }, i) => ({
      ...lasting,
      ...fields,
      dateModified: i === 0 ? lasting.date : printed(instantOf(age, nowMs), chance.whole(0, 999)),
    }));
  });
}

function firstAge({ states }: { states: readonly DatedFields[] }): number {
  return (states[0] as DatedFields).age;
}

/** @param age in days */
function instantOf(age: number, nowMs: number): number {
  const days = Math.floor(age);
  return nowMs - Math.round((days + (age - days) * WORKING_SHARE) * DAY_MS);
}

/** ISO 8601 with microseconds. */
function printed(ms: number, us: number): string {
  return new Date(ms).toISOString().replace('Z', `${String(us).padStart(3, '0')}Z`);
}

/** A UUID version 4 without hyphens. */
function idFrom(chance: Chance): string {
  const hex = chance.hex();
  return `${hex.slice(0, 12)}4${hex.slice(13, 16)}${'89ab'[chance.whole(0, 3)]}${hex.slice(17)}`;
}
