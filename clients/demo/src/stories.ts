import { Chance } from './chance.js';
import { type MadeAsset, makeBasic, makeClaim, makeCompound } from './made-assets.js';

/** The changeable fields of an asset in one of its states. */
export interface DatedFields {
  /** Age of the state, in days. */
  age: number;
  fields: Record<string, unknown>;
}

/** The history of one asset until now. */
export interface Story {
  owner: 'broker' | 'broker2';
  assetType: MadeAsset['assetType'];
  /** At least one state, oldest first. */
  states: DatedFields[];
}

/** A change, and the number of days before it. */
interface Change {
  after: number;
  fields: Record<string, unknown>;
}

const SEED = 20_170_816;
export const STORIES = 300;
const OLDEST_DAYS = 729;

/** Makes the examples, the same at every call. */
export function makeStories(): Story[] {
  const chance = new Chance(SEED);
  return Array.from({ length: STORIES }, (_, number) => makeStory(number, chance));
}

function makeStory(number: number, chance: Chance): Story {
  const { assetType, ...asset } = makeAsset(number, chance);
  const owner = chance.happens(0.7) ? 'broker' : 'broker2';
  // Creation becomes more frequent over time, because brokers join one by one.
  const age = OLDEST_DAYS * chance.next() ** 1.2;
  const states: DatedFields[] = [{ age, fields: { status: 'draft', ...asset } }];
  for (const { after, fields } of courseOf({ assetType, ...asset }, chance)) {
    const last = states.at(-1) as DatedFields;
    if (last.age < after) break;
    states.push({ age: last.age - after, fields: { ...last.fields, ...fields } });
  }
  return { owner, assetType, states };
}

function makeAsset(number: number, chance: Chance): MadeAsset {
  if (number % 7 === 3) return makeCompound(chance);
  return number % 6 === 5 ? makeClaim(chance) : makeBasic(chance);
}

/** The changes of an asset, up to its final state. */
function courseOf(asset: MadeAsset, chance: Chance): Change[] {
  const fate = chance.next();
  if (fate < 0.03) return [];
  const published = [{ after: chance.between(0.1, 6), fields: { status: 'pending' } }, ...completed(asset, chance)];
  if (fate < 0.13) return [...published, ...loweredPrices(asset, [10, 14], chance)];
  const offered = [...published, ...loweredPrices(asset, [0, 3], chance)];
  if (fate < 0.36) return offered;
  if (fate < 0.48) return [...offered, { after: chance.between(30, 150), fields: { status: 'deleted' } }];
  const inLot = [...offered, ...linkedToLot(asset, chance)];
  return [...inLot, { after: chance.between(40, 110), fields: { status: 'complete' } }];
}

/** Some descriptions are completed later. */
function completed({ description }: MadeAsset, chance: Chance): Change[] {
  if (!chance.happens(0.2)) return [];
  const told = `${description} Огляд за попередньою домовленістю з контактною особою.`;
  return [{ after: chance.between(1, 12), fields: { description: told } }];
}

/** The price of some assets is lowered repeatedly for lack of buyers. */
function loweredPrices({ value }: MadeAsset, times: readonly [number, number], chance: Chance): Change[] {
  const share = chance.pick([0.9, 0.95]);
  return Array.from({ length: chance.whole(...times) }, (_, time) => {
    const amount = Math.round(value.amount * share ** (time + 1));
    return { after: chance.between(18, 45), fields: { value: { ...value, amount } } };
  });
}

/** Moves the asset to `active`. Some lots fail, and the asset gets another lot; claims are verified first. */
function linkedToLot({ assetType }: MadeAsset, chance: Chance): Change[] {
  const toLot = (): Change[] => {
    const relatedLot = chance.hex();
    const after = chance.between(10, 70);
    if (assetType !== 'claimRights') return [{ after, fields: { status: 'active', relatedLot } }];
    const verified = { after: chance.between(60, 160), fields: { status: 'active' } };
    return [{ after, fields: { status: 'verification', relatedLot } }, verified];
  };
  if (!chance.happens(0.25)) return toLot();
  const failed = { after: chance.between(20, 40), fields: { status: 'pending', relatedLot: undefined } };
  return [...toLot(), failed, ...toLot()];
}
