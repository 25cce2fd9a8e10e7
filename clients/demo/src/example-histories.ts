import { SeededRandom } from './seeded-random.js';
import { type ExampleAsset, makeBasic, makeClaim, makeCompound } from './example-assets.js';

/** The changeable fields of an asset in one of its states. */
export interface ExampleState {
  /** How long ago the state began. */
  ageDays: number;
  fields: Record<string, unknown>;
}

/** The history of one asset until now. */
export interface ExampleHistory {
  owner: 'broker' | 'broker2';
  assetType: ExampleAsset['assetType'];
  /** At least one state, oldest first. */
  states: ExampleState[];
}

/** A change, and the time since the previous one. */
interface ExampleChange {
  afterDays: number;
  fields: Record<string, unknown>;
}

const SEED = 20_170_816;
export const EXAMPLE_COUNT = 300;
const OLDEST_DAYS = 729;

/** Makes the examples, the same at every call. */
export function makeHistories(): ExampleHistory[] {
  const random = new SeededRandom(SEED);
  return Array.from({ length: EXAMPLE_COUNT }, (_, number) => makeHistory(number, random));
}

function makeHistory(number: number, random: SeededRandom): ExampleHistory {
  const { assetType, ...asset } = makeAsset(number, random);
  const owner = random.boolean(0.7) ? 'broker' : 'broker2';
  // Creation becomes more frequent over time, because brokers join one by one.
  const ageDays = OLDEST_DAYS * random.next() ** 1.2;
  const states: ExampleState[] = [{ ageDays, fields: { status: 'draft', ...asset } }];
  for (const { afterDays, fields } of changesOf({ assetType, ...asset }, random)) {
    const last = states.at(-1) as ExampleState;
    if (last.ageDays < afterDays) break;
    states.push({ ageDays: last.ageDays - afterDays, fields: { ...last.fields, ...fields } });
  }
  return { owner, assetType, states };
}

function makeAsset(number: number, random: SeededRandom): ExampleAsset {
  if (number % 7 === 3) return makeCompound(random);
  return number % 6 === 5 ? makeClaim(random) : makeBasic(random);
}

/** The changes of an asset, up to its final state. */
function changesOf(asset: ExampleAsset, random: SeededRandom): ExampleChange[] {
  const outcome = random.next();
  if (outcome < 0.03) return [];
  const published = [
    { afterDays: random.between(0.1, 6), fields: { status: 'pending' } },
    ...extendedDescription(asset, random),
  ];
  if (outcome < 0.13) return [...published, ...loweredPrices(asset, [10, 14], random)];
  const offered = [...published, ...loweredPrices(asset, [0, 3], random)];
  if (outcome < 0.36) return offered;
  if (outcome < 0.48) return [...offered, { afterDays: random.between(30, 150), fields: { status: 'deleted' } }];
  const inLot = [...offered, ...linkedToLot(asset, random)];
  return [...inLot, { afterDays: random.between(40, 110), fields: { status: 'complete' } }];
}

/** Some descriptions are extended later. */
function extendedDescription({ description }: ExampleAsset, random: SeededRandom): ExampleChange[] {
  if (!random.boolean(0.2)) return [];
  const extended = `${description} Огляд за попередньою домовленістю з контактною особою.`;
  return [{ afterDays: random.between(1, 12), fields: { description: extended } }];
}

/** The price of some assets is lowered repeatedly for lack of buyers. */
function loweredPrices(
  { value }: ExampleAsset,
  times: readonly [number, number],
  random: SeededRandom,
): ExampleChange[] {
  const share = random.pick([0.9, 0.95]);
  return Array.from({ length: random.integer(...times) }, (_, time) => {
    const amount = Math.round(value.amount * share ** (time + 1));
    return { afterDays: random.between(18, 45), fields: { value: { ...value, amount } } };
  });
}

/** Moves the asset to `active`. Some lots fail, and the asset gets another lot; claims are verified first. */
function linkedToLot({ assetType }: ExampleAsset, random: SeededRandom): ExampleChange[] {
  const toLot = (): ExampleChange[] => {
    const relatedLot = random.hex();
    const afterDays = random.between(10, 70);
    if (assetType !== 'claimRights') return [{ afterDays, fields: { status: 'active', relatedLot } }];
    const verified = { afterDays: random.between(60, 160), fields: { status: 'active' } };
    return [{ afterDays, fields: { status: 'verification', relatedLot } }, verified];
  };
  if (!random.boolean(0.25)) return toLot();
  const failed = { afterDays: random.between(20, 40), fields: { status: 'pending', relatedLot: undefined } };
  return [...toLot(), failed, ...toLot()];
}
