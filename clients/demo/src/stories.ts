import { Chance } from './chance.js';
import { type MadeAsset, makeBasic, makeClaim, makeCompound } from './made-assets.js';

/** What becomes of one asset: who creates it as what, and the PATCHes that follow. */
export interface Story {
  broker: 'broker' | 'broker2';
  created: MadeAsset;
  changes: Change[];
}

/** The owner is the broker that created the asset. */
interface Change {
  by: 'owner' | 'concierge';
  data: Record<string, unknown>;
}

const SEED = 20_170_816;
export const STORIES = 300;

/** The examples: the same ones every time. */
export function makeStories(): Story[] {
  const chance = new Chance(SEED);
  return Array.from({ length: STORIES }, (_, number) => makeStory(number, chance));
}

function makeStory(number: number, chance: Chance): Story {
  const asset = makeAsset(number, chance);
  const broker = chance.happens(0.7) ? 'broker' : 'broker2';
  const isHasty = chance.happens(0.15);
  // Some are created in a hurry, and their titles mended before anybody sees them, or after.
  const created = isHasty ? { ...asset, title: (asset.title.split(',')[0] as string).toUpperCase() } : asset;
  const mended: Change[] = isHasty ? [{ by: 'owner', data: { title: asset.title } }] : [];
  return { broker, created, changes: course(asset, mended, chance) };
}

function makeAsset(number: number, chance: Chance): MadeAsset {
  if (number % 7 === 3) return makeCompound(chance);
  return number % 9 === 5 ? makeClaim(chance) : makeBasic(chance);
}

/** The way through the states, as far as this asset has come. */
function course(asset: MadeAsset, mended: Change[], chance: Chance): Change[] {
  const published: Change = { by: 'owner', data: { status: 'pending' } };
  const fate = chance.next();
  if (fate < 0.03) return mended;
  const [before, after] = chance.happens(0.5) ? [mended, []] : [[], mended];
  const pending = [...before, published, ...after, ...loweredPrices(asset, chance)];
  if (fate < 0.6) return pending;
  if (asset.assetType === 'claimRights' && fate < 0.68) return [...pending, toVerification(chance)];
  if (fate < 0.7) return [...pending, { by: 'owner', data: { status: 'deleted' } }];
  const active = [...pending, ...linkToLot(asset, chance)];
  return fate < 0.86 ? active : [...active, { by: 'concierge', data: { status: 'complete' } }];
}

/** Nobody wants some things at their first price. */
function loweredPrices({ value }: MadeAsset, chance: Chance): Change[] {
  const times = chance.happens(0.3) ? chance.whole(1, 3) : 0;
  return Array.from({ length: times }, (_, time) => {
    const amount = Math.round(value.amount * 0.9 ** (time + 1) * 100) / 100;
    return { by: 'owner', data: { value: { amount } } };
  });
}

/** To `active`. Some lots fail, and the asset goes to another one; claims are verified first. */
function linkToLot({ assetType }: MadeAsset, chance: Chance): Change[] {
  const active: Change = { by: 'concierge', data: { status: 'active' } };
  if (assetType === 'claimRights') return [toVerification(chance), active];
  const failed: Change[] = chance.happens(0.25)
    ? [
        { by: 'concierge', data: { status: 'active', relatedLot: chance.hex() } },
        { by: 'concierge', data: { status: 'pending', relatedLot: null } },
      ]
    : [];
  return [...failed, { by: 'concierge', data: { relatedLot: chance.hex() } }, active];
}

function toVerification(chance: Chance): Change {
  return { by: 'concierge', data: { status: 'verification', relatedLot: chance.hex() } };
}
